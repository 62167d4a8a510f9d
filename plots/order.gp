# The output's tiles, coloured by when work on them begins.
# Reads tiles.txt, settings.gp, look.gp and map.gp. To change the picture by hand:
#   tilesim plot order --output order.png --keep DIR     then     cd DIR && gnuplot order.gp

load 'settings.gp'
name = 'order'
right = 150
load 'map.gp'

last = items > 1 ? items - 1 : 1
set title 'Visit order of the output tiles: '.figures."\n".title
set cbrange [0:last]
set cblabel 'rank of its start, 0 first' offset 1.5,0
if (last <= 8) { set cbtics 1 }
set colorbox user origin screen 1.0 * (left + map_width + 20) / width, \
	screen 1.0 * bottom / height size screen 20.0 / width, screen 1.0 * map_height / height

set key at screen 1.0 * (left + map_width) / width, screen 8.0 / height right bottom
contrast(r) = r > 0.5 * last ? 0x000000 : 0xFFFFFF
plot 'tiles.txt' using ($3 < 0 ? NaN : $2):1:(w($2)):(e($2)):(n($1)):(s($1)):3 \
		with boxxyerror fillstyle solid noborder linecolor palette notitle, \
	'' using ($3 < 0 ? $2 : NaN):1:(w($2)):(e($2)):(n($1)):(s($1)) \
		with boxxyerror fillstyle pattern 2 noborder linecolor rgb '#D00000' \
		title (missing > 0 ? 'never computed' : ''), \
	'' using (numbers && $3 >= 0 ? $2 : NaN):1:(sprintf('%d', $3)):(contrast($3)) \
		with labels font ',8' textcolor rgb variable notitle
