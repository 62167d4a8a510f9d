# What all pictures share: terminal, fonts, colours. Loaded by the other scripts after settings.gp,
# once they have set name (of the picture), width and height (pixels).

set encoding utf8
if (format eq 'svg') {
	set terminal svg noenhanced size width,height font 'Sans,12' background '#ffffff'
} else {
	set terminal pngcairo noenhanced size width,height font 'Sans,11'
}
set output name.'.'.format

set border linecolor rgb '#404040'
set tics nomirror out textcolor rgb '#202020'
set key noenhanced

# Okabe and Ito's eight colours, told apart in all kinds of colour vision; grey stands for their
# black, and a second round of eight is darker, a third paler.
array hue[8] = [0xE69F00, 0x56B4E9, 0x009E73, 0xF0E442, 0x0072B2, 0xD55E00, 0xCC79A7, 0x999999]
channel(c, shift) = (int(c) >> shift) & 255
blend(a, b, part) = int(a + (b - a) * part + 0.5)
mix(c, with, part) = (blend(channel(c, 16), channel(with, 16), part) << 16) \
	+ (blend(channel(c, 8), channel(with, 8), part) << 8) \
	+ blend(channel(c, 0), channel(with, 0), part)
turn(i) = (int(i) / 8) % 3
colour(i) = mix(hue[int(i) % 8 + 1], turn(i) == 1 ? 0x000000 : 0xFFFFFF, \
	turn(i) == 0 ? 0 : turn(i) == 1 ? 0.5 : 0.6)

# Where boxes of `size` pixels begin and end, in boxes from their middle. Large ones keep a gap of
# one pixel; small ones overlap by part of one, else rounding leaves seams.
before(size) = size >= 6 ? 0.5 : 0.5 + 0.35 / size
after(size) = size >= 6 ? 0.5 - 1.0 / size : 0.5 + 0.35 / size

# Viridis, for what has an order.
set palette defined (0 '#440154', 1 '#482878', 2 '#3E4989', 3 '#31688E', 4 '#26828E', \
	5 '#1F9E89', 6 '#35B779', 7 '#6DCD59', 8 '#B4DE2C', 9 '#FDE725')

# What a lane is.
place = ctas > 1 ? 'cluster place' : unit_word.(places_per_unit > 1 ? ' place' : '')

# A time with four digits that count.
amount(t) = sprintf(t >= 1000 ? '%.0f ' : t >= 100 ? '%.1f ' : t >= 10 ? '%.2f ' : '%.3f ', t).unit
