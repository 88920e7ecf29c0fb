import { describe, expect, test } from 'vitest'
import { MaskTexts } from '../../../src/codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../../src/codec/text/secret-texts.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const found: readonly { name: string; text: string; want: readonly string[] }[] = [
  { name: 'a key', text: 'password: hunter2', want: ['hunter2'] },
  {
    name: 'a reference to a secret is none',
    text: 'existingSecret: web-tls\nsecretName: web\ntokenPath: /x',
    want: [],
  },
  {
    name: 'a pair in flow style, named by a word that only pairs name',
    text: 'passive: true\n[{name: dbpw, value: hunter2}, {name: size, value: small}]',
    want: ['hunter2'],
  },
  {
    name: 'the entry of a volume, and what only looks like one',
    text: 'items:\n  - key: settings\n    mode: 420\n    path: a.cnf\n  - key: hunter2\n    path: /x\n  - key: hunter3\n    name: x\n  - key: hunter4',
    want: ['hunter2', 'hunter3', 'hunter4'],
  },
  {
    name: 'the entry of a ConfigMap, and a key behind it',
    text: 'a:\n  configMapKeyRef:\n    key: settings\n    name: x\nother:\n    key: hunter2',
    want: ['hunter2'],
  },
  { name: 'a file under key', text: 'items: [{key: app.cnf, path: x}, {apiKey: hunter2}]', want: ['hunter2'] },
  { name: 'the name of a file under another name', text: '- {password: a.cnf, key: a.cnf}', want: ['a.cnf'] },
  {
    name: 'keys of labels and taints',
    text: [
      '- effect: NoSchedule',
      '  key: node-role.kubernetes.io/control-plane',
      '- key: "CriticalAddonsOnly"',
      '  operator: Exists',
      '- key: dedicated',
      '  effect: NoExecute',
      '- key: jenkins/rel-jenkins-slave',
      '  operator: In',
      '- key: hunter2/x',
      '  name: x',
      '- key: hunter3',
      '  value: x',
      'expr: up{key="node.kubernetes.io/unreachable", password="hunter4"}',
    ].join('\n'),
    want: ['hunter2/x', 'hunter3', 'hunter4'],
  },
  {
    name: 'keys of labels on one line',
    text: [
      '- {key: CriticalAddonsOnly, operator: Exists}',
      '- {key: eks.amazonaws.com/compute-type}',
      '- {key: hunter2, name: x}',
      '- {key: dedicated, effect: NoSchedule, token: hunter3}',
    ].join('\n'),
    want: ['hunter2', 'hunter3'],
  },
  {
    name: 'keys of labels in JSON',
    text: '{"a":[{"key":"CriticalAddonsOnly","operator":"Exists"},{"key":"cilium.io/no-schedule"},{"key":"hunter2","name":"x"}]}',
    want: ['hunter2'],
  },
  {
    name: 'the Secret of a volume',
    text: [
      '- secret:',
      '    name: web',
      '    optional: true',
      '    items:',
      '    - key: tls.key',
      '      mode: 0400',
      '      path: common-etcd-client.key',
      '    - key: settings',
      '      path: a/b',
      '- secret:',
      '    secretName: web',
      '    defaultMode: 0400',
      'secret:',
      '  key: hunter2',
      '  value: hunter3',
      'token:',
      '  path: hunter4',
    ].join('\n'),
    want: ['hunter2', 'hunter3', 'hunter4'],
  },
  {
    name: 'annotations that name a Secret',
    text: 'cert-manager.io/inject-ca-from-secret: ns/rel-webhook-ca\nfromSecret: web\nsecret: hunter2/x',
    want: ['hunter2/x'],
  },
  {
    name: 'names of variables, and a default of one',
    text: 'password: "postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/${DB_NAME}"\ntoken: ${TOKEN:-hunter2}',
    want: [
      '$',
      '${DB_PASS}',
      '${TOKEN:-hunter2}',
      '-hunter2',
      '/$',
      ':$',
      '@$',
      'TOKEN:-hunter2',
      'hunter2',
      'postgres://$',
      'postgres://${DB_USER}:${DB_PASS}@${DB_HOST}/${DB_NAME}',
    ],
  },
  {
    name: 'lines of a file in a Secret that only hold a key',
    text: `kind: Secret\ndata:\n  a.yaml: ${base64('receivers:\n  group_by: hunter2\n')}`,
    want: [base64('receivers:\n  group_by: hunter2\n'), 'group_by: hunter2'],
  },
  {
    name: 'entries in JSON',
    text: '{"items":[{"key":"settings","path":"a"},{"key":"app.cnf"},{"key":"hunter2","path":"/a"},{"key":"hunter3"}]}',
    want: ['hunter2', 'hunter3'],
  },
  { name: 'a key that ends in psk, alone', text: 'wifi-psk: hunter2', want: ['hunter2'] },
  { name: 'a key that ends in pat, alone', text: 'git_pat: hunter2', want: ['hunter2'] },
  { name: 'a path is none', text: 'git_path: hunter2', want: [] },
  { name: 'a flag that ends in pw, alone', text: 'run: tool --db-pw hunter2', want: ['hunter2'] },
  {
    name: 'a pair with plain lines between',
    text: '- name: DB_PASSWORD\n  kind: x\n  value: hunter2',
    want: ['hunter2'],
  },
  {
    name: 'halves of two pairs',
    text: '- name: DB_PASSWORD\n- level:\n    - deep: 1\n  value: small',
    want: [],
  },
  { name: 'a flag and a plain line before what looks like its value', text: '- --token\nkind: x\n- small', want: [] },
  { name: 'a text twice in JSON, once under a name', text: '{"token":"hunter2","a":["hunter2"]}', want: ['hunter2'] },
  {
    name: 'a text twice in JSON, under a name last',
    text: '{"a":["hunter2","hunter2"],"token":"hunter2"}',
    want: ['hunter2'],
  },
  { name: 'an XML attribute', text: '<add key="ApiKey" value = "hunter2"/>', want: ['hunter2'] },
  { name: 'a call', text: 'client.SetPassword("hunter2")', want: ['hunter2'] },
  { name: 'a pair', text: '- name: DB_PASSWORD\n  value: hunter2', want: ['hunter2'] },
  { name: 'a pair the other way round', text: '- value: hunter2\n  name: DB_PASSWORD', want: ['hunter2'] },
  { name: 'a pair in flow', text: 'env: [{name: API_TOKEN, value: hunter2}]', want: ['hunter2'] },
  { name: 'other pairs', text: '- name: DB_PASSWORD\n- name: LEVEL\n  value: debug', want: [] },
  { name: 'a Secret', text: `kind: Secret\ndata:\n  x: ${base64('hunter2')}`, want: [base64('hunter2'), 'hunter2'] },
  { name: 'a ConfigMap', text: 'kind: ConfigMap\ndata:\n  x: hunter2\n# key', want: [] },
  { name: 'JSON', text: '{"kind":"Secret","data":{"x":"aHVudGVyMg=="}}', want: ['aHVudGVyMg==', 'hunter2'] },
  {
    name: 'an object in an annotation',
    text: JSON.stringify({ a: JSON.stringify({ kind: 'Secret', stringData: { x: 'hunter2' } }) }),
    want: ['hunter2'],
  },
  { name: 'a schema', text: '{"properties":{"password":{"type":"string","title":"The word"}}}', want: [] },
  { name: 'an assignment', text: 'a.password=hunter2,b=1', want: ['hunter2'] },
  { name: 'an address', text: 'x: https://me:hunter2@host', want: ['hunter2'] },
  { name: 'a flag in a list', text: 'args:\n  - --token\n  - hunter2\n  - --level\n  - debug', want: ['hunter2'] },
  { name: 'a flag in a list in flow style', text: 'args: ["--api-key", "hunter2", "-v"]', want: ['hunter2'] },
  { name: 'a command', text: 'run: curl -u me:hunter2 x && mysql -phunter3 -h db', want: ['hunter2', 'hunter3'] },
  { name: 'a command in JSON', text: '{"args":["--token","hunter2","-p","80"]}', want: ['hunter2'] },
  { name: 'flags of ports, users and files', text: '- docker run -p 8080:80 -u 1000:1000 --token-file=/x', want: [] },
  { name: 'a token', text: `note: use ghp${'_'}0123456789abcdefABCD`, want: [`ghp${'_'}0123456789abcdefABCD`] },
  ...(
    [
      ['a header of curl', 'run: curl -H "X-Api-Key: hunter2" h'],
      ['a header of authorization', 'run: curl -H "Authorization: Bearer hunter2" h'],
      ['a header of basic authorization', 'run: curl -H "Authorization: Basic hunter2" h'],
      ['a long flag of a header', 'run: curl --header "PRIVATE-TOKEN: hunter2" h'],
      ['a header in an argument', 'args: ["--header=X-Auth-Token: hunter2"]'],
      ['a header in two arguments', '{"args":["-H","X-Auth-Token: hunter2"]}'],
      ['a header of nginx', 'proxy_set_header X-Api-Key "hunter2";'],
      ['a header of authorization of nginx', 'proxy_set_header Authorization "Bearer hunter2";'],
      ['a cookie', 'curl -b session=hunter2 h'],
      ['a password in two arguments', '{"args":["-p","hunter2"]}'],
      ['an element of XML', '<password>hunter2</password>'],
      ['attributes of XML', '<add key="DbPassword" value="hunter2"/>'],
      ['a line of netrc', 'machine h login u password hunter2'],
      ['a word of Redis', 'requirepass hunter2'],
      ['a password of LDAP', 'bindpw hunter2'],
      ['a role of SQL', "CREATE ROLE app LOGIN PASSWORD 'hunter2';"],
      ['a user of SQL', "CREATE USER x IDENTIFIED WITH caching_sha2_password BY 'hunter2';"],
      ['a flag of redis-cli', 'redis-cli -h x -a hunter2 ping'],
      ['a community of SNMP', 'rocommunity hunter2 default'],
      ['a call', 'client.set_password("hunter2")'],
      ['a signature of an address', 'https://x.blob.core.windows.net/c?sv=1&sig=hunter2'],
      ['a variable that is exported', 'export X_API_KEY hunter2'],
      ['a webhook of Discord', 'https://discord.com/api/webhooks/123/hunter2'],
    ] as const
  ).map(([name, text]) => ({ name, text, want: ['hunter2'] })),
  { name: 'an alias of YAML', text: 'x: &pw hunter2\npassword: *pw', want: ['*pw', 'hunter2', 'pw'] },
  { name: 'a value behind a backslash', text: 'password = \\\n  hunter2', want: ['\\', 'hunter2'] },
  { name: 'a line of htpasswd', text: 'admin:$2y$10$abcdefghij', want: ['$2y$10$abcdefghij'] },
  { name: 'a webhook of Teams', text: 'https://x.webhook.office.com/webhookb2/hunter2', want: ['webhookb2/hunter2'] },
  { name: 'a bot of Telegram', text: 'https://api.telegram.org/bot12:hunter2/x', want: ['12:hunter2'] },
  { name: 'an assignment in base64', text: base64('password=hunter2'), want: ['hunter2'] },
  ...(
    [
      ['headers', 'curl -H "Content-Type: text/plain" -H "Accept: */*" h'],
      ['a variable in a header', 'curl -H "X-Api-Key: $KEY" h'],
      ['a file of cookies', 'curl -b cookies.txt h'],
      ['a port behind -p', '{"args":["-p","8080:80"]}'],
      ['a folder behind -p', 'mkdir -p /data/x1'],
      ['an element', '<name>hunter2</name>'],
      ['a key of XML', '<add key="Level" value="debug"/>'],
      ['a getter', 'client.get_password("hunter2")'],
      ['an exported path', 'export PATH hunter2'],
      ['an anchor that no secret means', 'x: &a hunter2\ny: *a'],
      ['a line that goes on', 'command = \\\n  hunter2 token'],
      ['an address', 'https://example.com/api/webhooks/1?signed=hunter2'],
    ] as const
  ).map(([name, text]) => ({ name: `near a secret: ${name}`, text, want: [] })),
  { name: 'an image', text: 'x: host/name:v1.2.3@sha256:00', want: [] },
  { name: 'an alias', text: 'password: *hunter2', want: ['*hunter2', 'hunter2'] },
  { name: 'a template', text: 'password: {{ .Values.x }}', want: [] },
  {
    name: 'a Secret in flow style without its keys',
    text: 'kind: Secret\nstringData: {databaseUser: hunter2, "databaseName": "hunter3", l: [hunter4, {m: hunter5}]}',
    want: ['hunter2', 'hunter3', 'hunter4', 'hunter5'],
  },
  {
    name: 'a Secret on one line without its keys',
    text: '{apiVersion: v1, kind: Secret, metadata: {name: app}, data: {databaseUser: hunter2}}',
    want: ['hunter2'],
  },
  {
    name: 'a Secret in JSON that does not parse, without its keys',
    text: '{\n  "kind": "Secret",\n  "stringData": {\n    "databaseUser": "hunter2", "databaseName": "hunter3"\n  },\n',
    want: ['hunter2', 'hunter3'],
  },
  {
    name: 'a map in flow style over several lines',
    text: 'credentials: {\n  user: hunter2,\n  name: "hunter3"}\nlevel: debug',
    want: ['hunter2', 'hunter3'],
  },
  {
    name: 'a map in a map under a name of a secret',
    text: 'x: {auth: {user: hunter2, nested: [hunter3, {b: hunter4}]}, y: 1}',
    want: ['hunter2', 'hunter3', 'hunter4'],
  },
  {
    name: 'a value in flow style that holds signs',
    text: 'auth: {user: "a, b: {c"}',
    want: ['a', 'a, b: {c', 'b', 'c'],
  },
  {
    name: 'JSON of a Secret in JSON without its keys',
    text: JSON.stringify({ kind: 'Secret', stringData: { x: '{"auths": {"host.example": {"auth": "hunter2"}}}' } }),
    want: ['hunter2'],
  },
  {
    name: 'what names a Secret beside secrets',
    text: 'auth:\n  existingSecret: web-tls\n  secretName: web\n  user: hunter2',
    want: ['hunter2'],
  },
  {
    name: 'the same in JSON',
    text: '{"auth": {"existingSecret": "web-tls", "user": "hunter2"}}',
    want: ['hunter2'],
  },
  {
    name: 'every entry of a Secret, whatever its name',
    text: 'kind: Secret\nstringData:\n  type: hunter2\n  secretName: hunter3',
    want: ['hunter2', 'hunter3'],
  },
  {
    name: 'every entry of a Secret in JSON, whatever its name',
    text: '{"kind": "Secret", "stringData": {"type": "hunter2", "existing": "hunter3"}}',
    want: ['hunter2', 'hunter3'],
  },
  {
    name: 'a block of text under a name of a secret, and not its words alone',
    text: 'password: |\n  hunter2: x',
    want: ['hunter2: x', 'hunter2', 'x'].sort(),
  },
]

const definition =
  'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations:\n    token: hunter1\nspec: # token: hunter2\n  versions:\n  - schema:\n      openAPIV3Schema:\n        properties:\n          tokenSecret:\n            description: |-\n              secret: Secret of the cluster.\n              password to use.\n            properties:\n              key:\n                description: the key\n                type: string\n          password: {type: string, default: hunter4}\n            required:\n            - secretName\n---\nkind: Secret\napiVersion: v1\ndata: {a: hunter3}'

describe('secret texts of', () => {
  test('a definition of a kind are none but in comments and metadata', () => {
    const seen = new Set<string>()
    collectSecretTexts(definition, (secret) => seen.add(secret))
    expect([...seen].sort()).toEqual(['hunter1', 'hunter2', 'hunter3', 'hunter4', 'string'])
    seen.clear()
    const list = {
      items: [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { annotations: { token: 'hunter1' } },
          spec: { properties: { token: { description: 'hunter of tokens' }, password: 'hunter4' } },
        },
        { kind: 'Secret', data: { a: 'hunter5' } },
      ],
    }
    collectSecretTexts(JSON.stringify(list), (secret) => seen.add(secret))
    expect([...seen].sort()).toEqual(['hunter1', 'hunter5'])
  })

  test.each(found)('$name', ({ text, want }) => {
    const seen = new Set<string>()
    collectSecretTexts(text, (secret) => seen.add(secret))
    expect([...seen].filter((secret) => secret !== '').sort()).toEqual([...want].sort())
  })

  test.each([
    '{"auths":{"r.io":{"username":"u","password":"hunter2"}}}',
    'clouds:\n  one:\n    auth:\n      application_credential_secret: "hunter2"\n',
    "password = 'hunter2'",
    'PASSWORD=hunter2',
    'postgres://u:hunter2@db.example/x',
    'Server=db.example;Password=hunter2;',
  ])('a part of what a Secret holds: %j', (text) => {
    for (const entry of [`data:\n  x: ${base64(text)}`, `stringData:\n  x: ${JSON.stringify(text)}`]) {
      const seen = new Set<string>()
      collectSecretTexts(`kind: Secret\n${entry}`, (secret) => seen.add(secret))
      expect([...seen]).toContain('hunter2')
    }
  })
})

test('what encodes what encodes a secret is looked at once for each level', () => {
  const addsOf = (levels: number): number => {
    let text = 'hunter2'
    for (let level = 0; level < levels; level++) text = JSON.stringify({ password: base64(text) })
    let adds = 0
    collectSecretTexts(`kind: Secret\nstringData:\n  x: ${text}`, () => adds++)
    return adds
  }
  expect(addsOf(8)).toBeGreaterThan(8)
  expect(addsOf(16)).toBeLessThan(4 * addsOf(8))
})

const masked: readonly { secret: string; text: string; strict?: string; telling: string }[] = [
  { secret: 'hunter2', text: 'a hunter2 b HUNTER2x', telling: 'a ******** b ********x' },
  { secret: 'hunter2 x', text: 'a "hunter2 x"', telling: 'a "********"' },
  { secret: 'hunter2/+', text: 'a=hunter2%2F%2B&b', telling: 'a=********&b' },
  { secret: 'hunt"er2', text: String.raw`"hunt\"er2"`, telling: '"********"' },
  { secret: 'hunter22', text: `(${base64('u:hunter22')})`, telling: '(********)' },
  { secret: 'hunter22', text: `(${base64('uu:hunter22:x')})`, telling: '(********)' },
  {
    secret: 'word',
    text: 'a word, words, a/word, word.x',
    strict: 'a ********, words, a/word, word.x',
    telling: 'a word, words, a/word, word.x',
  },
  {
    secret: 'my-ca.crt',
    text: 'ConfigMap trust /data/my-ca.crt, "my-ca.crt"',
    strict: 'ConfigMap trust /data/my-ca.crt, "********"',
    telling: 'ConfigMap trust /data/my-ca.crt, "my-ca.crt"',
  },
  {
    secret: 'api-key',
    text: 'Secret s /data/api-key, xapi-keyx, api-key',
    strict: 'Secret s /data/api-key, xapi-keyx, ********',
    telling: 'Secret s /data/api-key, xapi-keyx, api-key',
  },
  ...['ca.crt', 'tls.crt', 'tls.key'].map((secret) => ({
    secret,
    text: `Secret s has no key "${secret}"`,
    telling: `Secret s has no key "${secret}"`,
  })),
  // a word that somebody chose, and not one that says what stands there
  { secret: 'hunt-er', text: '/data/hunt-er, xhunt-erx', telling: '/data/********, x********x' },
  { secret: 'hunt3r.key', text: '/data/hunt3r.key', telling: '/data/********' },
  { secret: 'true', text: 'true', telling: 'true' },
  { secret: 'IfNotPresent', text: 'one of Always, IfNotPresent', telling: 'one of Always, IfNotPresent' },
  { secret: 'AWS_SECRET_ACCESS_KEY', text: 'env[AWS_SECRET_ACCESS_KEY]', telling: 'env[AWS_SECRET_ACCESS_KEY]' },
  { secret: 'a', text: 'a', telling: 'a' },
  { secret: '${db_pass}', text: 'run ${db_pass}', telling: 'run ${db_pass}' },
  { secret: '$(DB_PASS)', text: 'run $(DB_PASS)', telling: 'run $(DB_PASS)' },
  { secret: '${x:-hunter2}', text: 'run ${x:-hunter2}', telling: 'run ********' },
  // names of objects and images are made of the same words
  {
    secret: 'one/two-three-four-five-six-seven-eight',
    text: 'two-three-four-five one/two-three-four-five-six-seven-eight',
    telling: 'two-three-four-five ********',
  },
  { secret: `${'x1'.repeat(40)}`, text: `cut ${'x1'.repeat(20)}…`, telling: 'cut ********…' },
]

describe('masking', () => {
  test.each(masked)('$secret in $text', ({ secret, text, telling, strict = telling }) => {
    const masks = new MaskTexts()
    masks.add(secret)
    expect([masks.mask(text, 'strict'), masks.mask(text, 'telling')]).toEqual([strict, telling])
  })
})

test('names of variables for credentials are no secrets, what stands there by mistake is one', () => {
  const secretsOf = (text: string): readonly string[] => {
    const seen = new Set<string>()
    collectSecretTexts(text, (secret) => seen.add(secret))
    return ['FORGE_TOKEN', 'REGISTRY_PASSWORD', 'ghp_0123456789abcdef', 'A1B2_C3D4'].filter((one) => seen.has(one))
  }
  expect(secretsOf('forge: {credentialsFrom: {token: FORGE_TOKEN}}\n')).toEqual([])
  expect(secretsOf('    credentialsFrom:\n      username: REGISTRY_USER\n      password: REGISTRY_PASSWORD\n')).toEqual(
    [],
  )
  expect(secretsOf('{"credentialsFrom": {"token": "FORGE_TOKEN"}}')).toEqual([])
  expect(secretsOf('credentialsFrom: {username: REG_USER, password: REG_LOGIN}\n')).toEqual([])
  expect(secretsOf('credentialsFrom: {token: ghp_0123456789abcdef}\n')).toEqual(['ghp_0123456789abcdef'])
  expect(secretsOf('credentialsFrom: {token: A1B2_C3D4}\n')).toEqual(['A1B2_C3D4'])
  expect(secretsOf('token: FORGE_TOKEN\n')).toEqual(['FORGE_TOKEN'])
})

describe('the password of a login is hidden where it stands alone:', () => {
  const inSecret = (value: string): string => `kind: Secret\nstringData:\n  users: ${value}\n`

  test.each([
    { name: 'a login', text: inSecret('admin:hunter2') },
    { name: 'in base64', text: `kind: Secret\ndata:\n  users: ${base64('root:x1\nadmin:hunter2\n')}\n` },
    { name: 'in JSON', text: JSON.stringify({ kind: 'Secret', stringData: { users: 'admin:hunter2' } }) },
    { name: 'one of several', text: inSecret('guest:small,admin@example.com:hunter2') },
    { name: 'a line of a file', text: inSecret('|\n    # logins\n    admin:hunter2') },
    { name: 'under the name of a secret', text: 'password: "admin:hunter2"' },
  ])('$name', ({ text }) => {
    const masks = new MaskTexts()
    collectSecretTexts(text, (secret) => {
      masks.add(secret)
    })
    const shown = 'log: hunter2 of admin, guest at latest, small'
    expect(masks.mask(shown, 'strict')).toBe('log: ******** of admin, guest at latest, small')
  })

  test.each([
    { name: 'the tag of an image', value: 'nginx:latest', shown: 'image: latest' },
    { name: 'a version', value: 'nginx:1.25-alpine', shown: 'version: 1.25-alpine' },
    { name: 'a version with a letter', value: 'kubelet:v1.30.4', shown: 'version: v1.30.4' },
    { name: 'a port', value: 'redis:6379/0', shown: 'port: 6379/0' },
    { name: 'words', value: 'mode:read-only', shown: 'mode: read-only' },
    { name: 'a variable', value: 'admin:$(PASSWORD)', shown: 'value: $(PASSWORD)' },
    { name: 'the name of a service account', value: 'system:serviceaccount:a:web-12345', shown: 'name: web-12345' },
  ])('not $name', ({ value, shown }) => {
    const masks = new MaskTexts()
    collectSecretTexts(inSecret(value), (secret) => {
      masks.add(secret)
    })
    expect(masks.mask(shown, 'strict')).toBe(shown)
  })
})

describe('a name that people have to see', () => {
  const secrets = ['cert-manager.io/', 'cert-manager/cert-manager-webhook-ca', 'webhook1-ca', 'resources:', 'QX12k9vZ']
  const names = ['issuers.cert-manager.io', 'cert-manager/cert-manager-webhook-ca', 'my-webhook1-ca', 'resources']

  test.each([
    { what: 'is shown as it is', text: 'in cert-manager/cert-manager-webhook-ca.' },
    { what: 'is shown before other signs', text: 'issuers.cert-manager.io/*' },
    { what: 'is shown where a part of it is a secret', text: 'ServiceAccount my-webhook1-ca' },
    { what: 'is shown as a key', text: 'spec.resources: {}' },
    { what: 'is not shown in a longer one', text: 'not-my-webhook1-ca', shown: 'not-my-********' },
    { what: 'does not show a secret beside it', text: 'my-webhook1-ca:QX12k9vZ', shown: 'my-webhook1-ca:********' },
    { what: 'does not show what is none', text: 'webhook1-ca', shown: '********' },
  ])('$what', ({ text, shown = text }) => {
    const masks = new MaskTexts()
    for (const secret of secrets) masks.add(secret)
    for (const name of names) masks.spare(name)
    expect(masks.mask(text, 'telling')).toBe(shown)
    expect(masks.mask(text, 'strict')).toBe(shown)
  })
})
