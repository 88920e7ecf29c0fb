import { expect, test } from 'vitest'
import { originOf, resolveUrl } from '../../../src/sources/dependency/resolve-url.ts'

// The first eight rows are those of Helm's own test (pkg/repo, TestResolveReferenceURL); the others were asked of its
// function.
test.each([
  [
    'http://localhost:8123/',
    'https://charts.helm.sh/stable/nginx-0.2.0.tgz',
    'https://charts.helm.sh/stable/nginx-0.2.0.tgz',
  ],
  ['http://localhost:8123', 'charts/nginx-0.2.0.tgz', 'http://localhost:8123/charts/nginx-0.2.0.tgz'],
  ['http://localhost:8123/charts', 'nginx-0.2.0.tgz', 'http://localhost:8123/charts/nginx-0.2.0.tgz'],
  ['http://localhost:8123/charts/', 'nginx-0.2.0.tgz', 'http://localhost:8123/charts/nginx-0.2.0.tgz'],
  ['http://localhost:8123/charts', '/nginx-0.2.0.tgz', 'http://localhost:8123/nginx-0.2.0.tgz'],
  [
    'http://localhost:8123/charts/?st=2021&sp=r',
    'nginx-0.2.0.tgz',
    'http://localhost:8123/charts/nginx-0.2.0.tgz?st=2021&sp=r',
  ],
  ['http://localhost:8123/charts?st=2021', 'a.tgz?other=1', 'http://localhost:8123/charts/a.tgz?st=2021'],
  [
    'http://localhost:8123/charts%2fwith%2fescaped%2fslash',
    'nginx-0.2.0.tgz',
    'http://localhost:8123/charts%2fwith%2fescaped%2fslash/nginx-0.2.0.tgz',
  ],
  ['https://a.example/charts', 'a.tgz?own=1', 'https://a.example/charts/a.tgz'],
  ['https://a.example/charts', '../other/a.tgz', 'https://a.example/other/a.tgz'],
  ['https://a.example/charts', '//b.example/a.tgz', 'https://b.example/a.tgz'],
  // Helm adds the query here too, and so shows it to the other host
  ['https://a.example/charts?token=x', '//b.example/a.tgz', 'https://b.example/a.tgz'],
  ['https://a.example/charts?token=x', '//A.example:443/a.tgz', 'https://a.example/a.tgz?token=x'],
  ['https://a.example/charts?token=x', '//a.example:8443/a.tgz', 'https://a.example:8443/a.tgz'],
  ['https://a.example/charts', 'oci://b.example/charts/a:1.0.0', 'oci://b.example/charts/a:1.0.0'],
  ['https://a.example', 'index.yaml', 'https://a.example/index.yaml'],
  ['no address', 'a.tgz', undefined],
])('resolveUrl of %s and %s', (repository, reference, want) => {
  expect(resolveUrl(repository, reference)).toBe(want)
})

test.each([
  ['https://A.example:443/x', 'https://a.example'],
  ['http://a.example:8080', 'http://a.example:8080'],
  ['oci://a.example/x', undefined],
  ['file:///etc/passwd', undefined],
  ['', undefined],
])('originOf %s', (url, want) => {
  expect(originOf(url)).toBe(want)
})
