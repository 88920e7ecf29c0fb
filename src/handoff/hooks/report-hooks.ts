import type { Diagnostic } from '../../model/diagnostic.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'

/** The treatment of a hook. */
export type HookFate =
  | 'test'
  | 'never'
  | 'unknown'
  | 'beside'
  | 'no-event'
  | 'plain'
  | 'kept'
  | 'once'
  | 'again'
  | 'again-first'
  | 'renamed'
  | 'renamed-once'
  | 'renamed-first'

/** A hook as the chart had it, and what became of it. */
export interface ReportedHook {
  readonly manifest: Manifest
  readonly events: readonly string[]
  readonly fate: HookFate
}

const ORDER_HINT =
  'Helm would have run it before or after the rest; here it is applied along with the rest, and retried.'

const NAME_HINT =
  'What refers to them by name, such as a Role with resourceNames or a script that waits, must find them by label instead.'

const fates: Readonly<Record<HookFate, Pick<Diagnostic, 'code' | 'message' | 'hint'>>> = {
  test: {
    code: 'HOOK_LEFT_OUT',
    message: 'left out, because tests run when somebody asks for them',
    hint: 'To run the tests, render the chart with `stackmason template` and apply them by hand.',
  },
  never: {
    code: 'HOOK_LEFT_OUT',
    message: 'skipped: a GitOps tool has no deletion or rollback of a release at which to run them',
    hint: 'What they clean up must be cleaned up by hand when the addon goes.',
  },
  unknown: {
    code: 'HOOK_LEFT_OUT',
    message: 'left out, because Helm knows no such event, and leaves them out, too',
    hint: 'Correct the annotation helm.sh/hook, or remove it to have ordinary objects.',
  },
  beside: {
    code: 'HOOK_TRANSLATED',
    message: 'applied as ordinary objects, because hooks are for charts and no chart made these',
    hint: 'Remove the annotations of hooks from them.',
  },
  'no-event': {
    code: 'HOOK_TRANSLATED',
    message:
      'applied without the annotations of hooks that they have, because they name no event, and Argo CD would go by their weight',
    hint: 'Remove these annotations, or name an event in helm.sh/hook.',
  },
  plain: {
    code: 'HOOK_TRANSLATED',
    message: 'applied as ordinary objects',
    hint: 'Helm would have recreated them at each event; here they stay, and are removed along with the addon.',
  },
  kept: {
    code: 'HOOK_TRANSLATED',
    message: 'applied as ordinary objects that are never pruned, because Helm never deletes what it made for a hook',
    hint: 'Delete them by hand when nobody needs their data any more.',
  },
  once: {
    code: 'HOOK_TRANSLATED',
    message: 'made once and left alone then, as at an install',
    hint: ORDER_HINT,
  },
  again: {
    code: 'HOOK_TRANSLATED',
    message: 'recreated, and so run again, when the pod template changes',
    hint: ORDER_HINT,
  },
  'again-first': {
    code: 'HOOK_TRANSLATED',
    message:
      'recreated, and so run again, when the pod template changes, and at first already, where Helm would wait for an upgrade',
    hint: 'Switch it off in the values if it must not run on a new cluster.',
  },
  renamed: {
    code: 'HOOK_TRANSLATED',
    message: 'named after their content: run once, and again when it changes',
    hint: `${ORDER_HINT} ${NAME_HINT}`,
  },
  'renamed-once': {
    code: 'HOOK_TRANSLATED',
    message:
      'named after their content: run once, and again when it changes, where Helm would run them at an install only',
    hint: `Switch it off in the values after the first run if it must not run again. ${NAME_HINT}`,
  },
  'renamed-first': {
    code: 'HOOK_TRANSLATED',
    message:
      'named after their content: run once, and again when it changes, and at first already, where Helm would wait for an upgrade',
    hint: `Switch it off in the values if it must not run on a new cluster. ${NAME_HINT}`,
  },
}

/**
 * Says what became of hooks: one finding for each addon and fate, which names the objects and says nothing that differs
 * between clusters.
 */
export function reportHooks(hooks: readonly ReportedHook[]): readonly Diagnostic[] {
  const groups = new Map<string, readonly ReportedHook[]>()
  for (const hook of hooks) {
    const { from, unit } = hook.manifest.origin
    const key = JSON.stringify([from, unit, hook.fate])
    groups.set(key, [...(groups.get(key) ?? []), hook])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { from, unit } = first.manifest.origin
    const { code, message, hint } = fates[first.fate]
    const objects = group.map(({ manifest, events }) =>
      events.length === 0
        ? `${manifest.kind} ${manifest.name}`
        : `${manifest.kind} ${manifest.name} (${events.join(', ')})`,
    )
    return [
      {
        code,
        severity: first.fate === 'test' ? 'note' : 'warning',
        message: `hooks of ${unit} (${from}) are ${message}: ${objects.join(', ')}`,
        ...placeIn(first.manifest, 'metadata', 'name'),
        hint,
      },
    ]
  })
}
