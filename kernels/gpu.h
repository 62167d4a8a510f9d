/* What a kernel needs of a GPU, a short function each: the vendors' words appear only behind it, so
 * that the kernels themselves stay in the common subset of C11, CUDA C++ and HIP, and one source is
 * compiled for all of them, and for the CPU.
 *
 *   TS_KERNEL(name, type, threads) { body }  a kernel for CTAs of at most `threads` threads; its
 *       one argument is a struct of that type, called `args` in the body
 *   TS_GPU                      in front of a function that runs there
 *   TS_SHARED(type, name, count);  an array in the CTA's shared memory, at the top of the kernel
 *   TS_UNROLL                   in front of a loop
 *   TS_READ(p), TS_WRITE(p, v)  *p, and *p = v, in global or shared memory. On the CPU they are
 *       checked; `p` is evaluated more than once there
 *   TS_WARP                     lanes in a warp
 *
 *   gpu_thread() gpu_threads()  index of this thread in its CTA along x, and how many there are
 *   gpu_lane() gpu_warp()       index of this thread in its warp, and of the warp in its CTA
 *   gpu_cta() gpu_ctas()        index of this CTA in the grid along x, and how many there are
 *   gpu_cluster() gpu_rank()    index of this CTA's cluster along x; of the CTA in it, x fastest
 *   gpu_unit()                  the SM or CU that runs this CTA; a number with gaps on some devices
 *   gpu_domain()                a number that CTAs with the same L2 share, where a device with more
 *       than one tells; else one that deals CTAs out
 *   gpu_shared()                dynamic shared memory, 128 byte aligned
 *   gpu_shared_of(p, rank)      where the CTA of `rank` has the shared variable that is at `p` here
 *
 *   gpu_sync()                  waits for all threads of the CTA, none of which may have left;
 *       what they wrote before is then seen by all of them
 *   gpu_fence()                 in each thread, before the gpu_sync() in front of a gpu_signal()
 *       and after the one behind a gpu_acquire(): one thread then signals and waits for all of
 *       its CTA
 *   gpu_cluster_sync()          the same for all threads of the cluster that have not left
 *   gpu_shuffle(value, lane)    the value that this lane of the warp gave; all lanes take part
 *   gpu_all(value)              whether it is true in all lanes of the warp; all take part. Only on
 *       gfx950 and the CPU
 *
 *   gpu_claim(counter)          adds 1 and returns the old value, for the whole device
 *   gpu_signal(counter, value)  adds `value` after everything that this thread wrote or saw written
 *   gpu_acquire(counter)        its value; what was written before the signals that made it is seen
 *   gpu_hear(word)              what the host wrote to a word of its memory, while the kernel runs;
 *       what it wrote before is then seen too
 *   gpu_tell(word, value)       writes a word of the host's memory for it to see, in no order with
 *       other writes
 *   gpu_pause()                 does nothing for some ten microseconds, between two looks at a word
 *       of the host's: such reads take as long as a copy over the bus, and hold up others at the L2
 *   gpu_time_ns()               a clock that all SMs share, in ns; it advances in steps
 *   gpu_cycles()                cycles of this SM
 *
 *   gpu_copy_16(to, from, bytes)  begins a copy of the first `bytes` of 16 bytes from global to
 *       shared memory, the rest of them zero; both 16 byte aligned. With 0 bytes `from` is not read
 *   gpu_copy_4(to, from, bytes)   the same for 4 bytes; `bytes` is 0 or 4
 *   gpu_load_to_lds_16(base, from)  begins a copy of 16 bytes for each lane of the warp from
 *       global to shared memory: from the lane's `from` to base + 16 * lane, all 16 byte aligned.
 *       All lanes take part, with the same base. Only on gfx950 and the CPU
 *   gpu_copy_commit()           the copies of this thread since the last commit are one group
 *   gpu_copy_wait(groups)       waits for all its groups but the last `groups`, a constant; on
 *       gfx950 for those too
 *
 *   gpu_tile(m, n)              the tile that the CTA works on from here, for reports of faults
 */
#ifndef TS_GPU_H
#define TS_GPU_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__CUDACC__)
#include "kernels/gpu_cuda.h"
#elif defined(__HIP__)
#include "kernels/gpu_hip.h"
#else
#include "kernels/gpu_cpu.h"
#endif

/* Longer than the host lets a launch take: whoever waits so long waits for ever. Not so on the CPU,
 * under sanitizers and beside other programs; there the executor finds who waits for ever. */
#if defined(__CUDACC__) || defined(__HIP__)
#define GPU_PATIENCE_NS UINT64_C(2000000000)
#else
#define GPU_PATIENCE_NS UINT64_C(3600000000000)
#endif

#endif
