# The best schedule of each shape beside cuBLAS. Reads bench.txt and settings.gp.

load 'settings.gp'
width = shapes > 24 ? 60 * shapes + 400 : 1600
if (format eq 'svg') {
	set terminal svg noenhanced size width,800 font 'Sans,12' background '#ffffff'
} else {
	set terminal pngcairo noenhanced size width,800 font 'Sans,11'
}
set output 'bench.'.format

set title title
set style data histograms
set style histogram clustered gap 1
set style fill solid 1 border rgb '#FFFFFF'
set boxwidth 0.95
set grid ytics linecolor rgb '#C8C8C8'
set xtics rotate by -40 scale 0
set ylabel 'TFLOP/s'
set yrange [0:*]
set offsets 0, 0, graph 0.1, 0
set key outside top right Left reverse
if (cublas) {
	plot 'bench.txt' using 2:xticlabels(1) linecolor rgb '#0072B2' title 'tilesim', \
		'' using 3 linecolor rgb '#E69F00' title 'cuBLAS', \
		'' using 0:($2 > $3 ? $2 : $3):(sprintf('%.2f', $4)) with labels \
			offset 0,0.6 notitle
} else {
	plot 'bench.txt' using 2:xticlabels(1) linecolor rgb '#0072B2' title 'tilesim'
}
