import { parseTemplate } from '../engine/parser.ts'
import { TemplateError } from '../engine/template-error.ts'
import { functionLibrary } from '../engine/library.ts'
import { classFunctions } from '../functions/registry.ts'

/**
 * What is wrong with a Go template of a ClusterClass, in Go's words: `enabledIf` and `valueFrom.template` of patches.
 * Undefined for one that Cluster API can parse.
 */
export function classTemplateProblem(template: string): string | undefined {
  const { isFunction } = functionLibrary(classFunctions, 'plain')
  try {
    parseTemplate({ name: 'template', text: template }, { isFunction })
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}
