/* The kernels' machine code as data, and a table of it: struct ts_image of images.h. LIST is the path
 * of a file with a line `image PROGRAM TARGET "PATH"` for each. */
	.macro image program target path
	.section .rodata
	.balign 64
0:	.incbin "\path"
1:
2:	.asciz "\program"
3:	.asciz "\target"
	.section .data.rel.ro, "aw"
	.dc.a 2b, 3b, 0b
	.quad 1b - 0b
	.endm

	.section .data.rel.ro, "aw"
	.balign 8
	.global ts_images
	.type ts_images, %object
ts_images:
	.include LIST
	.section .data.rel.ro, "aw"
	.dc.a 0, 0, 0
	.quad 0
	.size ts_images, . - ts_images
	.section .note.GNU-stack, "", %progbits
