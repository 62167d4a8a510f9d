# Load balance over time: a lane for each place, a box for each item, gaps where a place claims or
# has nothing to do. The shade changes from item to item of a lane.
# Reads items.txt, holds.txt, groups.txt, ticks.txt, settings.gp and look.gp. To change the picture
# by hand:
#   tilesim plot gantt --output gantt.png --keep DIR     then     cd DIR && gnuplot gantt.gp

load 'settings.gp'
name = 'gantt'
# Lanes of whole pixels have no seams.
pitch = lanes > 2400 ? 2400.0 / lanes : lanes > 1200 ? 1 : lanes > 480 ? 2 : lanes > 320 ? 3 \
	: 960 / lanes > 28 ? 28 : 960 / lanes
body = lanes * pitch > 60 ? int(lanes * pitch) : 60
left = 110
top = 135 + (format eq 'svg' ? 20 : 0)
bottom = 70
width = 1600
height = top + body + bottom
load 'look.gp'

set lmargin at screen 1.0 * left / width
set rmargin at screen 1 - 50.0 / width
set bmargin at screen 1.0 * bottom / height
set tmargin at screen 1.0 * (bottom + body) / height
set title 'Load balance over time: '.figures."\n".title offset 0,1
set xrange [0:until]
set yrange [lanes - 0.5:-0.5]
set xlabel 'time, '.unit
set ylabel sprintf('%d %s%s', lanes, place, lanes == 1 ? '' : 's')
set ytics scale 0
set key at screen 1 - 50.0 / width, screen 18.0 / height right bottom horizontal

# Edges of a lane.
n(lane) = lane - before(pitch)
s(lane) = lane + after(pitch)
shade(group, nth) = mix(colour(group), 0xFFFFFF, int(nth) % 2 == 0 ? 0 : 0.35)

if (tail < makespan) {
	set object 1 rectangle from tail, graph 0 to makespan, graph 1 behind \
		fillcolor rgb '#E4E4E4' fillstyle solid noborder
	set arrow 1 from tail, graph 0 to tail, graph 1 nohead front dashtype 2 \
		linecolor rgb '#000000'
	set label 1 sprintf('tail: the last %s (%.1f %%)', amount(makespan - tail), \
		100 * (makespan - tail) / makespan) \
		at makespan, graph 1 right offset 0,0.6 textcolor rgb '#000000'
}
set arrow 2 from makespan, graph 0 to makespan, graph 1 nohead front linewidth 1.5 \
	linecolor rgb '#000000'

plot 'groups.txt' using (0):($1 > 0 ? $2 - 0.5 : NaN):(until):(0) with vectors nohead \
		linecolor rgb '#A0A0A0' notitle, \
	'holds.txt' using (0.5 * ($2 + $3)):1:2:3:(n($1)):(s($1)) with boxxyerror \
		fillstyle pattern 4 noborder linecolor rgb '#707070' \
		title (holds > 0 ? 'held by another kernel' : ''), \
	'items.txt' using (0.5 * ($3 + $4)):1:3:4:(n($1)):(s($1)):(shade($2, $5)) \
		with boxxyerror fillstyle solid noborder linecolor rgb variable notitle, \
	'ticks.txt' using (NaN):1:ytic(strcol(2).' '.strcol(3)) with points notitle
