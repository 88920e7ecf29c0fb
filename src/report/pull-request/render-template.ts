import { createHandlebars, type RenderHandlebars } from '../../codec/text/handlebars.ts'
import { CHECK_NAMES } from '../../codec/text/handlebars-problem.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Source } from '../../model/source.ts'
import { type Dict, dict, goInt64, type Value } from '../../model/value.ts'
import { templateFields } from './template-fields.ts'

const CODE = 'PUBLISH_TEMPLATE'

/**
 * Renders a template of `templates/publish/`; of a name that is not there it says which there are.
 * @throws StackmasonError PUBLISH_TEMPLATE
 */
export function renderTemplate(render: RenderHandlebars, template: Source, data: Dict): string {
  try {
    return render(template, { data, code: CODE })
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(error.diagnostics.map(withNames), { cause: error })
  }
}

/** Finds what is wrong with a template, whatever is published: by data in which all is there, and nothing. */
export function judgeTemplate(template: Source): readonly Diagnostic[] {
  const render = createHandlebars()
  const found = new Map<string, Diagnostic>()
  for (const data of [sample('-', 1), sample('', 0)]) {
    try {
      renderTemplate(render, template, data)
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      for (const finding of error.diagnostics) found.set(`${String(finding.at?.start)} ${finding.message}`, finding)
    }
  }
  return [...found.values()]
}

const COUNTS: ReadonlySet<string> = new Set([
  'changed',
  'added',
  'removed',
  'unchanged',
  'objects',
  'errors',
  'warnings',
  'acknowledged',
])

function sample(text: string, count: number): Dict {
  return dict(
    Object.keys(templateFields).map((name): [string, Value] => [name, COUNTS.has(name) ? goInt64(count) : text]),
  )
}

function withNames(finding: Diagnostic): Diagnostic {
  if (finding.hint !== CHECK_NAMES) return finding
  const names = Object.keys(templateFields)
  const [, name] = /^"([^"]*)" is not defined$/.exec(finding.message) ?? []
  const nearest = name === undefined ? undefined : nearestName(name, names)
  return {
    ...finding,
    hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}There are: ${names.join(', ')}.`,
  }
}
