/* The kernels' machine code as data. IMAGE is the path of the fat binary. */
	.section .rodata
	.global ts_probe_image
	.global ts_probe_image_bytes
	.type ts_probe_image, %object
	.type ts_probe_image_bytes, %object
	.balign 16
ts_probe_image:
	.incbin IMAGE
probe_image_end:
	.size ts_probe_image, probe_image_end - ts_probe_image
	.balign 8
ts_probe_image_bytes:
	.quad probe_image_end - ts_probe_image
	.size ts_probe_image_bytes, 8
	.section .note.GNU-stack, "", %progbits
