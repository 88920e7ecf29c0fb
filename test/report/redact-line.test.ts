import { describe, expect, test } from 'vitest'
import { redactLine } from '../../src/report/redact-line.ts'

/** The last line of the text as it would be shown. */
function shown(text: string): string {
  const start = text.lastIndexOf('\n') + 1
  return redactLine({ name: 'x.yaml', text: `${text}\n` }, start, text.slice(start))
}

const cases: readonly { input: string; want: string }[] = [
  { input: 'replicas: 3', want: 'replicas: 3' },
  {
    input: '- {op: add, path: /data/password, value: hunter2}',
    want: '- {op: add, path: /data/password, value: ********}',
  },
  { input: '- {value: hunter2, path: "/data/password"}', want: '- {value: ********, path: "/data/password"}' },
  { input: '- op: add\n  path: /data/password\n  value: hunter2', want: '  value: ********' },
  { input: '- {op: add, path: /data/level, value: debug}', want: '- {op: add, path: /data/level, value: debug}' },
  { input: '  password: hunter2', want: '  password: ********' },
  { input: 'adminPassword: "hunter2"', want: 'adminPassword: "********"' },
  { input: "- clientSecret: 'x'  ", want: "- clientSecret: '********'  " },
  { input: 'apiKey: x # comment x', want: 'apiKey: ********' },
  {
    input: '"bearer_token": "x",',
    want: '"bearer_token": "********",'.replace('",', '********').replace('****************', '********'),
  },
  { input: 'tls.key: LS0t', want: 'tls.key: ********' },
  { input: 'key: LS0t', want: 'key: ********' },
  ...[
    'credentialsFrom: {username: REG_USER, password: REG_PASSWORD}',
    '  - {url: "https://a", credentialsFrom: {token: CI_JOB_TOKEN}}',
    'forge: {kind: gitea, credentialsFrom: {username: "DEPLOY_LOGIN", password: DEPLOY_PW}}',
    'credentialsFrom:\n  username: REG_USER\n  token: CI_JOB_TOKEN1',
  ].map((input) => ({ input, want: input.slice(input.lastIndexOf('\n') + 1) })),
  { input: 'credentialsFrom: {token: A1B2_C3D4}', want: 'credentialsFrom: {token: ********}' },
  {
    input: 'credentialsFrom: {token: hunter2, other: REG_USER}',
    want: 'credentialsFrom: {token: ********, other: ********}',
  },
  { input: 'credentialsFrom:\n  token: hunter2', want: '  token: ********' },
  { input: 'a: {credentialsFrom: {token: hunter2}}', want: 'a: {credentialsFrom: {token: ********}}' },
  { input: '  - key: app.cnf', want: '  - key: app.cnf' },
  { input: 'items: [{key: "app.cnf", path: x}]', want: 'items: [{key: "app.cnf", path: x}]' },
  { input: 'items: [{apiKey: app.cnf, key: x}]', want: 'items: [{apiKey: ********, key: ********}]' },
  { input: 'kind: Secret\ndata:\n  key: app.cnf', want: '  key: ********' },
  {
    input: 'spec:\n  kubeConfig:\n    secretRef:\n      name: web-kubeconfig',
    want: '      name: web-kubeconfig',
  },
  { input: 'kubeConfig:\n  secretRef:\n    name: web\n    key: value', want: '    key: value' },
  {
    input: 'tolerations:\n- effect: NoSchedule\n  key: node-role.kubernetes.io/infra',
    want: '  key: node-role.kubernetes.io/infra',
  },
  { input: 'matchExpressions:\n  - key: app.kubernetes.io/name', want: '  - key: app.kubernetes.io/name' },
  { input: 'tolerations:\n- key: LS0tLS1CRUdJTg==', want: '- key: ********' },
  { input: 'tolerations:\n- key: a\nlicense:\n  key: node/a', want: '  key: ********' },
  { input: 'secrets:\n  tolerations:\n  - key: node/a', want: '  - key: ********' },
  { input: 'kind: Secret\ndata:\n  tolerations:\n  - key: node/a', want: '  - key: ********' },
  {
    input:
      'spec:\n  substituteFrom:\n  - kind: Secret\n    name: web\n  patches:\n  - patch: |\n      data:\n        paired: "true"',
    want: '        paired: "true"',
  },
  {
    input: 'spec:\n  substituteFrom:\n  - kind: ConfigMap\n  items:\n  - kind: Secret\n    data:\n      a: "true"',
    want: '      a: "********"',
  },
  { input: 'kubeConfig:\n  secretRef:\n    key: LS0tLS1CRUdJTg==', want: '    key: ********' },
  { input: 'kubeConfig:\n  secretRef:\n    token: value', want: '    token: ********' },
  { input: 'kubeConfig:\n  user:\n    name: web', want: '    name: ********' },
  { input: '- name: web-kubeconfig\n  kind: Secret', want: '  kind: Secret' },
  { input: '- kind: Secret\n  name: web-kubeconfig', want: '  name: ********' },
  { input: '- name: DB_PASSWORD\n  kind: hunter2', want: '  kind: ********' },
  { input: 'password:\n  kind: Hunter', want: '  kind: ********' },
  { input: 'keyring: x', want: 'keyring: x' },
  { input: 'monkey: x', want: 'monkey: x' },
  { input: 'password:', want: 'password:' },
  { input: 'password: |', want: 'password: |' },
  { input: 'password: {{ .Values.password | b64enc }}', want: 'password: {{ .Values.password | b64enc }}' },
  { input: 'password: pre{{ .x }}post', want: 'password: ********{{ .x }}********' },
  { input: 'password: |\n  hunter2', want: '  ********' },
  { input: 'credentials:\n  user: me\n  site:\n    # a comment\n    name: x', want: '    name: ********' },
  { input: 'credentials:\n  user: me\nname: x', want: 'name: x' },
  { input: 'url: https://me:pa@host/a?b=c@d', want: 'url: https://********@host/a?b=c@d' },
  { input: 'url: "https://tok@host"', want: 'url: "https://********@host"' },
  { input: 'apiVersion: v1\nkind: Secret\ndata:\n  foo: aHVudGVyMg==', want: '  foo: ********' },
  { input: 'apiVersion: v1\nkind: Secret\nstringData:\n  foo: |\n    hunter2', want: '    ********' },
  { input: 'kind: Secret\ndata:\n  a: x\n---\nkind: ConfigMap\ndata:\n  foo: bar', want: '  foo: bar' },
  { input: 'kind: ConfigMap\ndata:\n  foo: bar', want: '  foo: bar' },
  { input: 'auth: {user: me, password: hunter2}', want: 'auth: {user: ********, password: ********}' },
  { input: 'login: {user: me, password: hunter2, x: y}', want: 'login: {user: me, password: ********, x: y}' },
  { input: '{\n  "x": "y", "token": "a, b",', want: '  "x": "y", "token": "********",' },
  {
    input: 'x: {auth: {user: me, nested: [a, {b: c}]}, y: 1}',
    want: 'x: {auth: {user: ********, nested: [********, {b: ********}]}, y: 1}',
  },
  {
    input: 'web: {credentialsFrom: {username: U, password: P}, z: https://a:b@host}',
    want: 'web: {credentialsFrom: {username: ********, password: ********}, z: https://********@host}',
  },
  {
    input: 'x: {password: {{ .Values.x }}, y: {{ .Values.y }}}',
    want: 'x: {password: {{ .Values.x }}, y: {{ .Values.y }}}',
  },
  { input: '{"token": "a,b", "x": 1}', want: '{"token": "********", "x": 1}' },
  { input: 'args: --token=abc --v=2', want: 'args: --token=******** --v=2' },
  { input: 'url: https://example.com/?token=abc&x=1', want: 'url: https://example.com/?token=********&x=1' },
  { input: `config: json: '{"password": "QX12k9vZ"}'`, want: `config: json: '{"password": "********"}'` },
  { input: 'a: "password: QX12k9vZ" x', want: 'a: "password: ********' },
  { input: '? password : QX12k9vZ : x', want: '? password : ********' },
  { input: 'header: b: Bearer QX12k9vZ', want: 'header: b: Bearer ********' },
  { input: '"password QX12k9vZ": x', want: '"password ********": x' },
  { input: '"url=x?password=QX12k9vZ": x', want: '"url=x?password=******** x' },
  { input: '# password: QX12k9vZ', want: '# password: ********' },
  { input: 'a: URL=jdbc:x://db/a?password=hunter2', want: 'a: URL=jdbc:x://db/a?password=********' },
  { input: `a: CONN='Server=db;Password=hunter2;X=y'`, want: `a: CONN='Server=db;Password=********;X=y'` },
  { input: 'a: --set=auth.password=hunter2 --v=2', want: 'a: --set=auth.password=******** --v=2' },
  { input: 'a.password     = "hunter2" b=c', want: 'a.password     = "********" b=c' },
  { input: 'passwords:\n  - hunter2', want: '  - ********' },
  { input: '- name: DB_PASSWORD\n  value: hunter2 : x', want: '  value: ********' },
  { input: '- value: x\n- name: API_TOKEN\n  more: 1\n  value: hunter2', want: '  value: ********' },
  { input: '- name: API_TOKEN\n  value: hunter2\n- name: LEVEL\n  value: debug', want: '  value: debug' },
  { input: 'pwd: hunter2', want: 'pwd: ********' },
  { input: 'rootPw: hunter2', want: 'rootPw: ********' },
  { input: 'password: *hunter2', want: 'password: ********' },
  { input: 'repository: "user:pw@host/x"', want: 'repository: "********@host/x"' },
  { input: 'password: {{ .Values.x }}', want: 'password: {{ .Values.x }}' },
  { input: 'kind: Secret\nstringData: {user: hunter2}', want: 'stringData: {user: ********}' },
  { input: 'kind: ConfigMap\ndata: {user: me}', want: 'data: {user: me}' },
  { input: '{kind: Secret, data: {user: hunter2}}', want: '{kind: Secret, data: {user: ********}}' },
  { input: '  "kind": "Secret",\n  "data": {\n    "user": "hunter2"', want: '    "user": "********"' },
  { input: '<<<<<<< HEAD', want: '<<<<<<< HEAD' },
  { input: '<<<<<<< hunter2', want: '<<<<<<< ********' },
  { input: '||||||| hunter2', want: '||||||| ********' },
  { input: '=======', want: '=======' },
  { input: '>>>>>>> a1b2c3d (words of hunter2)', want: '>>>>>>> ********' },
  { input: '======== hunter2', want: '======== hunter2' },
  { input: 'image: host/name:v1@sha256:0123', want: 'image: host/name:v1@sha256:0123' },
]

const ofValues: readonly { input: string; want: string }[] = [
  { input: 'replicas: 3', want: 'replicas: ********' },
  { input: '  - a: 1 # x', want: '  - a: ********' },
  { input: '  - plain', want: '  - ********' },
  { input: 'a: {b: 1, "c": "x: y", d: [1, two]}', want: 'a: {b: ********, "c": ********, d: [********, ********]}' },
  { input: 'a: {b: hunter2: x}', want: 'a: {b: ********}' },
  { input: '- {op: add, path: /data/x, value: y}', want: '- {op: ********, path: ********, value: ********}' },
  { input: 'a: {{ .Values.x }}', want: 'a: {{ .Values.x }}' },
  { input: 'a: |', want: 'a: |' },
  { input: '"open', want: '"********' },
  { input: '<<<<<<< HEAD', want: '<<<<<<< HEAD' },
  { input: '=======', want: '=======' },
  { input: '>>>>>>> hunter2', want: '>>>>>>> ********' },
  { input: '======= hunter2', want: '********' },
]

describe('of a file of values or of a patch', () => {
  test.each(ofValues)('$input', ({ input, want }) => {
    for (const source of [
      { name: 'clusters/a/b/values/x.yaml' },
      { name: 'cilium/values.yaml' },
      { name: 'clusters/a/patches/x.yaml' },
      { name: 'x.yaml', holds: 'values' as const },
    ])
      expect(redactLine({ ...source, text: input }, 0, input)).toBe(want)
  })
})

describe('redactLine', () => {
  test.each(cases)('$input', ({ input, want }) => {
    expect(shown(input)).toBe(want)
  })
})

const patch = 'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n'
const operations = `${patch}  jsonPatch:\n`
const merge = `${patch}  target: {kind: Secret}\n  mergePatch:\n`
const inPatches: readonly { input: string; want: string }[] = [
  { input: 'apiVersion: apps/v1', want: 'apiVersion: apps/v1' },
  { input: 'apiVersion: hunter2', want: 'apiVersion: ********' },
  { input: 'kind: Deployment', want: 'kind: Deployment' },
  { input: 'kind: "hunter2"', want: 'kind: "********"' },
  {
    input: `${patch}  target: {kind: Secret, name: "app-token", x: y}`,
    want: '  target: {kind: Secret, name: "app-token", x: ********}',
  },
  { input: `${patch}  target:\n    name: app`, want: '    name: app' },
  { input: `${patch}  target:\n    name: Hunter2 # x`, want: '    name: ********' },
  { input: `${operations}    - op: replace`, want: '    - op: replace' },
  { input: `${operations}    - op: replace\n      path: /data/x`, want: '      path: /data/x' },
  { input: `${operations}    - op: replace\n      path: hunter2`, want: '      path: ********' },
  { input: `${operations}    - op: replace\n      value: debug`, want: '      value: ********' },
  {
    input: `${operations}    - {op: add, path: /data/x, value: {path: /x}}`,
    want: '    - {op: add, path: /data/x, value: {path: ********}}',
  },
  { input: `${merge}    kind: Hunter`, want: '    kind: ********' },
  { input: `${merge}    path: /hunter2`, want: '    path: ********' },
  { input: `${operations}    - {op: add}\n  mergePatch:\n    path: /hunter2`, want: '    path: ********' },
]

describe('of a patch stays what says what it is about', () => {
  test.each(inPatches)('$input', ({ input, want }) => {
    const start = input.lastIndexOf('\n') + 1
    expect(redactLine({ name: 'clusters/a/patches/x.yaml', text: input }, start, input.slice(start))).toBe(want)
  })
})

describe('what looks like a key is hidden where it is more of a value', () => {
  test.each([
    { input: 'password: abc\n  hunter2: x', want: '  ********' },
    { input: 'password: abc\n  hunter2: x\n  hunter2:', want: '  ********' },
    { input: 'password: abc\n\n  hunter2:\n    hunter2: x', want: '    ********' },
    { input: 'password: !!str abc\n  hunter2: x', want: '  ********' },
    { input: 'password: |\n  hunter2: x', want: '  ********' },
    { input: 'values: |\n  hunter2: x', want: '  hunter2: ********' },
    { input: 'password: "abc\nhunter2: x', want: '********' },
    { input: "passwords:\n  - 'it''s\n  hunter2: x", want: '  ********' },
    { input: 'passwords:\n  - abc\n    hunter2: x', want: '    ********' },
    { input: 'a password: abc\n  hunter2: x', want: '  ********' },
    { input: 'password: "abc"\nname: x', want: 'name: ********' },
    { input: 'password: "a \\" b"\nname: x', want: 'name: ********' },
    { input: "password: 'it''s'\nname: x", want: 'name: ********' },
    { input: 'passwords:\n  - name: x\n    value: y', want: '    value: ********' },
    { input: 'password: &anchor\n  name: x', want: '  name: ********' },
    { input: 'passwords: # all\n  name: x', want: '  name: ********' },
    { input: 'passwords:\n{{- if .x }}\n  name: x', want: '  name: ********' },
    { input: 'password: abc\n---\n  name: x', want: '  name: ********' },
  ])('$input', ({ input, want }) => {
    const start = input.lastIndexOf('\n') + 1
    expect(redactLine({ name: 'values/own.yaml', text: input }, start, input.slice(start))).toBe(want)
  })
})

test.each(['\n  size: 1\n', '\n\n    - text\n', '\r\n  {{ fail "x" }}\n'])(
  'the search for keys above a line ends at an empty first line: %j',
  (text) => {
    const start = text.search(/ /)
    const line = text.slice(start).split('\n', 1)[0] ?? ''
    expect(redactLine({ name: 'x.yaml', text }, start, line)).toBe(line)
  },
)
