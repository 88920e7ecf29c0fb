import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Forge } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import { plural } from '../../report/plural.ts'
import type { OpenForge } from './forge-session.ts'

/** More are counted, and not named one by one. */
const NAMED = 10

/** The writes of a run to servers, as they succeed. */
export interface NotedWrites {
  /** The ports with pushes noted. */
  readonly ports: Ports
  /** Opens a forge that notes what becomes of pull requests. */
  readonly openForge: OpenForge
  /** Notes an artifact that a registry has got. */
  readonly noteArtifact: () => void
  readonly isNothing: () => boolean
  /** The error of a run, with what the run had written before; whatever is no problem of users stays as it is. */
  readonly addTo: (error: unknown) => unknown
}

/** Notes what a run writes to servers, so that an error midway can tell it. */
export function noteWrites(ports: Ports, openForge: OpenForge): NotedWrites {
  const done = new Map<string, string>()
  let artifacts = 0
  const isNothing = (): boolean => done.size + artifacts === 0
  const { gitWriter } = ports
  return {
    ports: {
      ...ports,
      gitWriter: {
        ...gitWriter,
        push: async (access, pushes) => {
          const results = await gitWriter.push(access, pushes)
          for (const [index, { branch, commit }] of pushes.entries())
            if (results[index]?.status === 'pushed')
              done.set(`branch ${branch}`, commit === undefined ? 'is deleted' : `has commit ${commit.slice(0, 12)}`)
          return results
        },
      },
    },
    openForge: async (config, context) => notingForge(await openForge(config, context), done),
    noteArtifact: () => {
      artifacts++
    },
    isNothing,
    addTo: (error) =>
      error instanceof StackmasonError && !isNothing()
        ? new StackmasonError([...error.diagnostics, unfinished(done, artifacts)], { cause: error })
        : error,
  }
}

/** Notes in `done` what becomes of pull requests: the last of each, but that it was opened counts more than a change. */
function notingForge(forge: Forge, done: Map<string, string>): Forge {
  return {
    ...forge,
    createPullRequest: async (wanted) => {
      const created = await forge.createPullRequest(wanted)
      const { number, url } = created.pullRequest
      if (created.outcome === 'created') done.set(nameOf(number), `is opened, ${url}`)
      return created
    },
    updatePullRequest: async (number, changed) => {
      const updated = await forge.updatePullRequest(number, changed)
      if (!done.has(nameOf(number))) done.set(nameOf(number), 'is updated')
      return updated
    },
    closePullRequest: async (number, body) => {
      await forge.closePullRequest(number, body)
      done.set(nameOf(number), 'is closed')
    },
  }
}

function nameOf(number: number): string {
  return `pull request ${String(number)}`
}

function unfinished(done: ReadonlyMap<string, string>, artifacts: number): Diagnostic {
  const more = done.size - NAMED
  const parts = [
    ...Array.from(done, ([what, state]) => `${what} ${state}`).slice(0, NAMED),
    ...(more > 0 ? [`${String(more)} more of these are written`] : []),
    ...(artifacts > 0 ? [`${plural(artifacts, 'artifact')} in the registry`] : []),
  ]
  return {
    code: 'PUBLISH_UNFINISHED',
    severity: 'warning',
    message: `this run had done a part before it ended: ${parts.join('; ')}`,
    hint: 'Run it again: what is done stays, and the next run does the rest.',
  }
}
