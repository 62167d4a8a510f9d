/* The kernels' machine code as data. PROBE, GEMM and MATRICES are the paths of fat binaries. */
	.macro image name path
	.global \name
	.type \name, %object
	.balign 16
\name:
	.incbin "\path"
	.size \name, . - \name
	.endm

	.section .rodata
	.global ts_probe_image_bytes
	.type ts_probe_image_bytes, %object
	image ts_probe_image PROBE
probe_image_end:
	image ts_gemm_image GEMM
	image ts_matrices_image MATRICES
	.balign 8
ts_probe_image_bytes:
	.quad probe_image_end - ts_probe_image
	.size ts_probe_image_bytes, 8
	.section .note.GNU-stack, "", %progbits
