import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import { createTokenTable } from '../../model/token.ts'
import { chunkText, createEngine } from '../engine/engine.ts'
import { defaultLimits } from '../engine/limits.ts'
import { chartFunctions } from '../functions/registry.ts'

/**
 * Renders the template of `--name-template` (Helm pkg/action, TemplateName): no data, sprig's functions; text that
 * would be random follows from the template.
 * @throws StackmasonError TEMPLATE_*
 */
export function renderReleaseName(
  template: string,
  options: { readonly crypto: Crypto; readonly onFinding: (finding: Diagnostic) => void },
): string {
  const engine = createEngine({
    functions: chartFunctions,
    lateBound: false,
    limits: defaultLimits,
    crypto: options.crypto,
    tokens: createTokenTable(),
    generate: { seed: template },
    onFinding: options.onFinding,
  })
  const source = { name: 'name-template', text: template }
  return chunkText(engine.execute(engine.createSet([engine.parse(source)]), source.name, null))
}
