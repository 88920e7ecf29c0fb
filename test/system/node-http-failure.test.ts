import { expect, test } from 'vitest'
import { explainHttpFailure } from '../../src/system/node-http-failure.ts'

const proxies = { http: undefined, https: undefined, none: '' }

test('too little memory for the parser of answers is said', () => {
  const error = new TypeError('fetch failed', {
    cause: new RangeError('WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance'),
  })
  const found = explainHttpFailure(error, { url: new URL('https://a.example/x?token=t'), stage: 'head', proxies })
  expect([found.reason, found.message]).toEqual([
    'protocol',
    'there is too little memory for an exchange with a.example',
  ])
})
