/** The settings of Vitest that every test run has: that of the whole repository, and that of one package alone. */
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { BaseSequencer, type InlineConfig, type TestSpecification } from 'vitest/node'
import { SkipReporter } from './skip-reporter.ts'
import { declares, tags } from './tags.ts'

/**
 * The long ones first, then those that start processes; all in the order of the time that they took in an earlier run,
 * where there was one.
 */
class HeavyFirst extends BaseSequencer {
  /** The long ones are dealt out first, so that the parts of a run take about as long as each other. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 }
    const key = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId)
      return `${declares(moduleId, 'long') ? 0 : 1} ${createHash('sha1').update(path).digest('hex')}`
    }
    const keyed = files.map((file) => ({ file, key: key(file) })).toSorted((a, b) => (a.key < b.key ? -1 : 1))
    return keyed.filter((_, at) => at % count === index - 1).map(({ file }) => file)
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      declares(moduleId, 'long') ? 0 : declares(moduleId, 'processes') ? 1 : 2
    const ranked = (await super.sort(files)).map((file) => ({ file, rank: rank(file) }))
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ file }) => file)
  }
}

/** Beside that of the hub itself; `npm ci` removes both. */
const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/tests')

/**
 * Settings of glibc; other C libraries ignore them. Buffers of up to 32 MiB come from the heap, which keeps up to
 * 256 MiB of freed memory, in large pages where the system has them. By default each larger buffer is mapped and zeroed
 * again, page by page.
 */
const MALLOC = 'glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456:glibc.malloc.hugetlb=1'

/** A few sizes: what Node compiled is found again by a process with the same flags alone. */
const OLD_SPACES_MIB = [768, 512, 256, 128]

/**
 * What a worker may fill before its old generation is collected: all of them together a quarter of the memory that is
 * free.
 */
function oldSpaceMib(): number {
  const most = process.availableMemory() / (16 * 1024 ** 2)
  return OLD_SPACES_MIB.find((size) => size <= most) ?? 64
}

/** Which files of these folders (a pattern, from the working folder) a run has, and how it runs them. */
export function testSettings(folders: string): InlineConfig {
  const torture = process.env.HUB_TEST_TORTURE
  const isTorture = torture !== undefined
  const all = `${folders}/**/*.test.ts`
  const alwaysTorture = `${folders}/**/*.torture.test.ts`
  return {
    // Of the sampled files the ordinary run tries a part, and the torture run the rest.
    include: isTorture
      ? globSync(all).filter(
          (file) =>
            (file.endsWith('.torture.test.ts') || declares(file, 'sampled')) &&
            (torture === 'full' || !declares(file, 'full')),
        )
      : [all],
    exclude: isTorture ? [] : [alwaysTorture],
    tags: [...tags],
    reporters: ['default', new SkipReporter()],
    pool: 'forks',
    // Files of one worker share its modules and the hub of `contractHub()`: loading them again for each file took a
    // fifth of the time.
    isolate: false,
    // A worker for each core: of ordinary tests two more on two cores wait less and take half as much processor time
    // again, for the code that each worker compiles and for what they push out of each other's caches. Torture tests
    // mostly wait for a timer, a process or the database.
    maxWorkers: Math.min(Math.max(2, availableParallelism()), 4) + (isTorture ? 1 : 0),
    sequence: { sequencer: HeavyFirst },
    // Node loads the sources as it does in production, without a transformation by Vite: half the CPU of an import,
    // and the same line numbers.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    runner: join(import.meta.dirname, 'runner.ts'),
    // What Node compiles, and what it leaves of TypeScript, is kept for the next run and for the processes that tests
    // start: half the processor time of importing the hub, and of a short process.
    env: { NODE_COMPILE_CACHE: COMPILED, GLIBC_TUNABLES: MALLOC },
    // The young generation of `npm start`: most of what a test makes is garbage before it is copied once. It is
    // collected by the thread that made it: all cores have a worker, and threads that share one collection cost a
    // tenth more processor time. The old generation is left alone until it has some size, and buffers count as part of
    // it: V8 would else mark all modules again for each 64 MB of uploads, an eighth of a worker's processor time.
    execArgv: [
      '--max-semi-space-size=64',
      '--min-semi-space-size=64',
      '--single-threaded-gc',
      `--initial-old-space-size=${oldSpaceMib()}`,
      '--external-memory-accounted-in-global-limit',
      // Most code of an ordinary test runs a few times: V8 would spend a sixteenth of all processor time on optimizing
      // it. The torture run has loops, and bounds of processor time.
      ...(isTorture ? [] : ['--no-turbofan', '--invocation-count-for-maglev=2000']),
    ],
    // They end what hangs and say nothing of speed: a machine may be busy with other things.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 100_000 } },
  }
}
