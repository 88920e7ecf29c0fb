import { trimSpace } from '../functions/text/strings.ts'
import type { RenderedChart } from './render-chart.ts'

/** Returns what `helm template` prints for a rendered chart, to the byte. */
export function formatHelmOutput({ crds, manifests, hooks }: RenderedChart): string {
  const formatted = [...crds, ...manifests].map(formatDocument).join('')
  return `${trimSpace(formatted)}\n${hooks.map(formatDocument).join('')}`
}

function formatDocument({ path, text }: { readonly path: string; readonly text: string }): string {
  return `---\n# Source: ${path}\n${text}\n`
}
