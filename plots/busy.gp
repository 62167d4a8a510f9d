# How long each place computes, and how the XCDs or GPCs compare.
# Reads lanes.txt, groups.txt, settings.gp and look.gp. To change the picture by hand:
#   tilesim plot busy --output busy.png --keep DIR     then     cd DIR && gnuplot busy.gp

load 'settings.gp'
name = 'busy'
width = 1600
height = 1000
load 'look.gp'

set multiplot layout 2,1 title 'Busy time: '.figures."\n".title
set lmargin 12
set rmargin 25
set ylabel 'busy time, '.unit
set yrange [0:makespan * 1.16]
set key outside right top Left reverse samplen 2
set style fill solid noborder

set xrange [-0.5:lanes - 0.5]
set xlabel place.(groups == 1 || lanes <= 24 ? ', by its number' \
	: 's of each '.group_word.', by their number')
set xtics scale 0
set boxwidth lanes > 160 ? 1 : 0.85
# Borders hide the seams between bars that touch.
plot 'lanes.txt' using 1:6:(colour($2)) with boxes fillstyle solid border linewidth 0.5 \
		linecolor rgb variable notitle, \
	'groups.txt' using ($1 > 0 ? $2 - 0.5 : NaN):(0):(0):(makespan) with vectors nohead \
		linecolor rgb '#B0B0B0' notitle, \
	'ticks.txt' using 1:(NaN):xtic(3) with points notitle, \
	makespan linewidth 1.5 linecolor rgb '#000000' title 'makespan '.amount(makespan), \
	busy_max linewidth 2 dashtype 4 linecolor rgb '#D55E00' title 'max '.amount(busy_max), \
	busy_mean linewidth 2 dashtype 1 linecolor rgb '#606060' title 'mean '.amount(busy_mean), \
	busy_min linewidth 2 dashtype 2 linecolor rgb '#0072B2' title 'min '.amount(busy_min)

# A few bars are not to fill the width.
beside = groups < 6 ? 0.5 * (6 - groups) : 0
set xrange [-0.5 - beside:groups - 0.5 + beside]
set xlabel group_word.': mean of its '.place.'s, with the least and the greatest'
set boxwidth 0.7
unset xtics
set xtics scale 0
plot 'groups.txt' using 1:6:(colour($1)):xtic(sprintf('%s %d', group_word, $1)) with boxes \
		linecolor rgb variable notitle, \
	'' using 1:5:(0):($7 - $5) with vectors heads size screen 0.003,90 linewidth 1.5 \
		linecolor rgb '#000000' notitle, \
	'' using 1:(makespan * 1.08):(amount($6)) with labels notitle, \
	makespan linewidth 1.5 linecolor rgb '#000000' title 'makespan '.amount(makespan), \
	busy_mean linewidth 2 dashtype 1 linecolor rgb '#606060' title 'mean '.amount(busy_mean)
unset multiplot
