import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { moduleCache } from './tools/module-cache.ts'

/** Tests that need a process of their own. */
const alone: readonly string[] = [
  // V8 counts the blocks of functions that it compiles while it counts
  'test/**/{growth,*-growth}.test.ts',
  'test/house/count-work.test.ts',
  'test/model/token-identities.test.ts',
  'test/pipeline/watch-secrets.test.ts',
  // collects garbage again and again, which takes a second where others have left theirs
  'test/pipeline/expand/live-units.test.ts',
  'test/render/engine/limits.test.ts',
  // packs and installs
  'test/house/{executable,package}.test.ts',
  // a browser each
  'test/system/{report-page,site-page}.test.ts',
  // what changes the process that it runs in, measures it, or asks what its end leaves behind
  'test/system/{kube-binaries,kube-child-server,node-deadline,node-git,node-git-memory,node-git-writer,node-kubeconfig,node-threads,publish-trials,run-compiled}.test.ts',
]

/**
 * The tests of each kind that come first: the longest, since a worker that began with one late would go on when all
 * others are done; and those that start git thousands of times, since it takes a process longer to start another one the
 * more memory it has, and a worker has more after each file.
 */
const first =
  /\/(?:handoff-argocd-life|first-placeholder|controller-storage-migration|kept-folders|class-after-addons|damaged-trees|interrupted-write|canary|pipeline\/(?:handoff|publish|publish-[a-z-]+|replay|shards|shards-life|check-pins)|damage-hints|forges\/contract|git\/source|publish-trials)\.test\.ts$/

/** Tests that wait for servers or programs. */
const waiting = /\/test\/(?:system|handoff\/(?:argocd|flux|model|units))\//

/** The facts about a file of tests that say when it runs, and where. */
interface TestFile {
  readonly moduleId: string
  readonly project: { readonly config: { readonly isolate: boolean } }
}

/** The kind of a file of tests: those of one kind run together. */
function rank({ project, moduleId }: TestFile): number {
  return (project.config.isolate ? 0 : 3) + (first.test(moduleId) ? 0 : waiting.test(moduleId) ? 1 : 2)
}

/** Runs what has a process of its own first, because a process that is shared ends where another kind follows; then what waits, so that what computes fills the end. */
class AloneFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }

  override shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(dealt(files, this.ctx.config.shard ?? { index: 1, count: 1 }))
  }
}

/** The files of one of several machines: those of each kind are dealt one after the other, since some take a hundred times longer than others. */
export function dealt<File extends TestFile>(
  files: readonly File[],
  { index, count }: { readonly index: number; readonly count: number },
): File[] {
  const ordered = files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1))
  return ordered.filter((_, at) => at % count === index - 1)
}

const cores = availableParallelism()

/**
 * Few functions of a test run long enough to win back what V8's optimizing takes: here they become simple machine code at once, and are optimized later. Such
 * flags differ between versions of V8, so only the lowest Node, which runs all tests in CI, gets them.
 */
const lateOptimization: readonly string[] = process.version.startsWith('v20.')
  ? ['--always-sparkplug', '--interrupt-budget=400000']
  : []

/** A worker is large, and to start git from it takes long: see there. Those that run alone try how git is started. */
const gitStarts: readonly string[] =
  process.platform === 'linux'
    ? ['--import', pathToFileURL(join(import.meta.dirname, 'test/support/git-starts.mjs')).href]
    : []

const config: ViteUserConfig = defineConfig({
  test: {
    // what comes first in a fresh clone waits until its modules are transformed, beside all else that begins
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // one less than cores by default, but many tests wait for servers; each takes memory
    maxWorkers: Math.min(3 * cores, cores + 4),
    execArgv: [...lateOptimization],
    // both projects, and the run on the other Node, load the same modules; CI begins with a fresh clone each time
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath:
        process.env['CI'] === undefined
          ? join(import.meta.dirname, '.cache/modules')
          : moduleCache(import.meta.dirname),
    },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'json-summary'] },
    sequence: { sequencer: AloneFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: [...alone] } },
      {
        extends: true,
        test: {
          name: 'shared',
          // an `exclude` of its own would not hear of --exclude
          include: ['test/**/*.test.ts', ...alone.map((pattern) => `!${pattern}`)],
          // src keeps no state that shows, and to load it anew for each file takes longer than most files
          isolate: false,
          execArgv: [...gitStarts],
        },
      },
    ],
  },
})

export default config
