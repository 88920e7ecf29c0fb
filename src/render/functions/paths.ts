import type { Value } from '../../model/value.ts'
import type { FunctionDef } from '../engine/function.ts'
import { textArgument } from './arguments.ts'

/** Go's path.Clean. */
function cleanPath(path: string): string {
  const isRooted = path.startsWith('/')
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!isRooted) kept.push(part)
  }
  const cleaned = (isRooted ? '/' : '') + kept.join('/')
  return cleaned === '' ? '.' : cleaned
}

/** Go's path.Base. */
function basePath(path: string): string {
  if (path === '') return '.'
  let end = path.length
  while (end > 0 && path.charAt(end - 1) === '/') end--
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

/** Go's path.Dir. */
function parentPath(path: string): string {
  return cleanPath(path.slice(0, path.lastIndexOf('/') + 1))
}

/** Go's path.Ext. */
function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const point = name.lastIndexOf('.')
  return point === -1 ? '' : name.slice(point)
}

function pathFunctionPair(name: string, call: (path: string) => Value): readonly FunctionDef[] {
  const osName = `os${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return [name, osName].map((each): FunctionDef => ({
    name: each,
    params: ['string'],
    tokens: 'refuse',
    call: (args) => call(textArgument(args, 0)),
  }))
}

/** sprig's path functions; the `os` ones are those of Unix, so they are the same. */
export const pathFunctions: readonly FunctionDef[] = [
  ...pathFunctionPair('base', basePath),
  ...pathFunctionPair('dir', parentPath),
  ...pathFunctionPair('clean', cleanPath),
  ...pathFunctionPair('ext', extension),
  ...pathFunctionPair('isAbs', (path) => path.startsWith('/')),
]
