# What both maps of the output share: square tiles of whole pixels where they fit, row 0 at the top.
# Loaded by order.gp and owner.gp once they have set name and right (pixels beside the map).

fit(space, count) = space / count >= 64 ? 64 \
	: space / count >= 1 ? space / count : 1.0 * space / count
pitch = fit(1024, rows) < fit(1280, cols) ? fit(1024, rows) : fit(1280, cols)
pitch_x = pitch * cols < 160 ? 160.0 / cols : pitch
pitch_y = pitch * rows < 160 ? 160.0 / rows : pitch
map_width = int(pitch_x * cols + 0.5)
map_height = int(pitch_y * rows + 0.5)

left = 90
top = 120 + (format eq 'svg' ? 20 : 0)
bottom = 70
width = left + map_width + right
height = top + map_height + bottom
if (width < 1100) {
	left = left + (1100 - width) / 2
	width = 1100
}
load 'look.gp'
set lmargin at screen 1.0 * left / width
set rmargin at screen 1.0 * (left + map_width) / width
set bmargin at screen 1.0 * bottom / height
set tmargin at screen 1.0 * (bottom + map_height) / height

set xrange [-0.5:cols - 0.5]
set yrange [rows - 0.5:-0.5]
set xlabel sprintf('tile column n, of %d', cols)
set ylabel sprintf('%s, of %d', row_word, rows)
# Whole numbers on the axes; gnuplot finds larger steps itself.
step(tiles) = tiles <= 1 ? 1 : tiles <= 2 ? 2 : tiles <= 5 ? 5 : 0
step_x = step(40.0 * cols / map_width)
step_y = step(40.0 * rows / map_height)
if (step_x) { set xtics step_x }
if (step_y) { set ytics step_y }

# Numbers go into tiles where they fit.
numbers = pitch_x >= 26 && pitch_y >= 18

# Edges of the tile in column x or row y.
w(x) = x - before(pitch_x)
e(x) = x + after(pitch_x)
n(y) = y - before(pitch_y)
s(y) = y + after(pitch_y)
