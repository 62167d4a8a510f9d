# The output's tiles, coloured by who computes them: the XCD or GPC, or on a device with one such
# group the worker, modulo the number of colours.
# Reads tiles.txt, settings.gp, look.gp and map.gp. To change the picture by hand:
#   tilesim plot owner --output owner.png --keep DIR     then     cd DIR && gnuplot owner.gp

load 'settings.gp'
name = 'owner'
right = 190
load 'map.gp'

owners = groups > 1 ? groups : workers < 8 ? workers : 8
owner(group, worker) = groups > 1 ? int(group) : int(worker) % owners
label(i) = groups > 1 ? sprintf('%s %d', group_word, i) \
	: workers > owners ? sprintf('worker %% %d = %d', owners, i) : sprintf('worker %d', i)
set title 'Who computes which output tile: '.figures."\n".title
set key at screen 1.0 * (left + map_width + 15) / width, \
	screen 1.0 * (bottom + map_height) / height left top Left reverse samplen 1.5 width 1

dark(c) = 0.30 * channel(c, 16) + 0.59 * channel(c, 8) + 0.11 * channel(c, 0) < 120
contrast(i) = dark(colour(i)) ? 0xFFFFFF : 0x000000
plot 'tiles.txt' using ($3 < 0 ? NaN : $2):1:(w($2)):(e($2)):(n($1)):(s($1)): \
		(colour(owner($4, $5))) with boxxyerror fillstyle solid noborder linecolor rgb variable notitle, \
	'' using ($3 < 0 ? $2 : NaN):1:(w($2)):(e($2)):(n($1)):(s($1)) \
		with boxxyerror fillstyle pattern 2 noborder linecolor rgb '#D00000' \
		title (missing > 0 ? 'nobody' : ''), \
	'' using (numbers && $3 >= 0 ? $2 : NaN):1:(sprintf('%d', groups > 1 ? $4 : $5)): \
		(contrast(owner($4, $5))) with labels font ',8' textcolor rgb variable notitle, \
	for [i = 0:owners - 1] NaN with boxes fillstyle solid noborder \
		linecolor rgb colour(i) title label(i)
