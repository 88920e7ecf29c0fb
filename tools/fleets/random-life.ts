import type { Outcome, RandomFleet, Step } from './random-fleet.ts'

/** True if a check that passes says that the next render has something to write. */
function tellsMore({ result, codes }: Outcome): boolean {
  return (
    codes.some((code) => code === 'STACK_UNNEEDED' || code === 'HANDOFF_UNIT_CHANGES') ||
    (result?.steps ?? []).some(({ then }) => then.length > 0)
  )
}

function shown({ codes, result }: Outcome): string {
  const changes = Array.from(result?.changes ?? [], ({ change, path }) => `${change} ${path}`)
  const due = (result?.steps ?? []).map(({ due: { action }, then }) =>
    [action, ...then.map((one) => one.action)].join(' '),
  )
  return [...codes, ...due, ...changes].join('\n')
}

/**
 * Runs a life, step by step, up to the first step at which check and render differ; what is wrong there. A step that is
 * refused is taken back.
 */
export async function findDifference(fleet: RandomFleet, life: readonly Step[]): Promise<string | undefined> {
  for (const [at, step] of life.entries()) {
    const before = fleet.git('rev-parse', 'HEAD')
    await fleet.take(step)
    const checked = await fleet.run({ check: true })
    const tree = fleet.git('status', '--porcelain', '--', 'rendered')
    const written = await fleet.run()
    const difference = (what: string): string =>
      `${what}, after ${JSON.stringify(life.slice(0, at + 1))}\ncheck: ${shown(checked)}\nrender: ${shown(written)}`
    if (checked.isSame && !written.isSame && !tellsMore(checked)) return difference('check passes, and render writes')
    if (!checked.isSame && written.isSame) return difference('check fails, and render writes nothing')
    if (written.result === undefined) {
      if (fleet.git('status', '--porcelain', '--', 'rendered') !== tree) return difference('a refused run wrote')
      fleet.git('reset', '-q', '--hard', before)
      fleet.git('clean', '-fdq')
      continue
    }
    const after = written.isSame ? checked : await fleet.run({ check: true })
    if (!after.isSame) return difference(`check refuses what render wrote: ${shown(after)}`)
    fleet.commit()
    const judged = await fleet.run({ check: true, base: before })
    if (judged.codes.some((code) => code.startsWith('OUTPUT_') && code !== 'OUTPUT_UNCOMMITTED'))
      return difference(`check takes a change that render made for another: ${shown(judged)}`)
  }
  return undefined
}
