# Simulated over measured times. Reads predict.txt and settings.gp.

load 'settings.gp'
if (format eq 'svg') {
	set terminal svg noenhanced size 1000,900 font 'Sans,12' background '#ffffff'
} else {
	set terminal pngcairo noenhanced size 1000,900 font 'Sans,11'
}
set output 'predict.'.format

set title title
set logscale xy
set grid xtics ytics linecolor rgb '#C8C8C8'
set xlabel 'measured, us'
set ylabel 'simulated, us'
set xrange [least:most]
set yrange [least:most]
set size square
set key top left Left reverse
set style fill transparent solid 0.25 noborder
plot '+' using 1:($1 * 0.88):($1 * 1.12) with filledcurves linecolor rgb '#56B4E9' \
		title 'within 12 %', \
	'+' using 1:($1 * 0.95):($1 * 1.05) with filledcurves linecolor rgb '#009E73' \
		title 'within 5 %', \
	for [i = 0:policies - 1] 'predict.txt' index i using 1:2 with points pointtype 7 \
		pointsize 0.5 linecolor rgb word('#0072B2 #E69F00 #D55E00 #CC79A7 #009E73', \
		i % 5 + 1) title word(names, i + 1)
