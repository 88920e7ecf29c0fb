import type { ChangeStep } from './tree-change.ts'

/** A path as people write it: `spec.containers[name=web].image`. */
export function formatChangePath(path: readonly ChangeStep[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${String(step)}]`
    else if (typeof step === 'object') text += `[${stepText(step)}]`
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += `${text === '' ? '' : '.'}${step}`
    else text += `[${JSON.stringify(step)}]`
  }
  return text
}

function stepText({ key, value }: { readonly key: string; readonly value: string }): string {
  if (key === '') return value
  // of several keys the values tell, as far as they are there
  return key.includes('+')
    ? value
        .split('/')
        .filter((part) => part !== '')
        .join('/')
    : `${key}=${value}`
}
