# When the places finish, in order, and how many are busy over time.
# Reads finish.txt, active.txt, settings.gp and look.gp. To change the picture by hand:
#   tilesim plot finish --output finish.png --keep DIR     then     cd DIR && gnuplot finish.gp

load 'settings.gp'
name = 'finish'
width = 1600
height = 1000
load 'look.gp'

set multiplot layout 2,1 title 'Finish times: '.figures."\n".title
set lmargin 12
set rmargin 25
set grid xtics ytics linecolor rgb '#C8C8C8'
set key outside right top Left reverse samplen 2

# Differences that an axis from 0 would hide are enlarged.
spread = makespan - finish_min
close = spread < 0.2 * makespan && spread > 1e-4 * makespan
set xrange [0.5:lanes + 0.5]
set yrange [close ? finish_min - 0.1 * spread : 0:makespan + 0.08 * (close ? spread : makespan)]
set xlabel place.'s, in the order of their finish'
set ylabel 'end of the last item, '.unit.(close ? ', not from 0' : '')
plot 'finish.txt' using 1:2 with steps linecolor rgb '#808080' notitle, \
	'' using 1:2:(colour($3)) with points pointtype 7 \
		pointsize (lanes > 160 ? 0.6 : 1) linecolor rgb variable notitle, \
	makespan linewidth 1.5 linecolor rgb '#000000' title 'makespan '.amount(makespan), \
	finish_mean linewidth 2 dashtype 2 linecolor rgb '#606060' \
		title 'mean '.amount(finish_mean), \
	for [i = 0:(groups > 1 ? groups : 0) - 1] NaN with points pointtype 7 \
		linecolor rgb colour(i) title sprintf('%s %d', group_word, i)

set xrange [0:until]
set yrange [0:lanes * 1.08]
set xlabel 'time, '.unit
set ylabel place.'s that compute'
plot 'active.txt' using 1:2 with fillsteps fillstyle solid border rgb '#C4E4F7' \
		linecolor rgb '#C4E4F7' notitle, \
	'' using 1:2 with steps linewidth (items > 20 * lanes ? 0.5 : 1.5) \
		linecolor rgb '#0072B2' notitle, \
	lanes dashtype 3 linecolor rgb '#606060' title sprintf('all %d', lanes), \
	active_mean linewidth 2 dashtype 2 linecolor rgb '#606060' \
		title sprintf('mean %.1f', active_mean)
unset multiplot
