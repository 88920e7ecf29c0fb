import { describe, expect, test } from 'vitest'
import { MaskTexts } from '../../../src/codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../../src/codec/text/secret-texts.ts'

const SECRET = 'QX12k9vZ'

function shown(text: string): string {
  const masks = new MaskTexts()
  collectSecretTexts(text, (secret) => {
    masks.add(secret)
  })
  return masks.mask(text, 'strict')
}

const assigned: readonly string[] = [
  'DATABASE_URL=jdbc:postgresql://db/app?password=QX12k9vZ',
  'PGCONN="host=db user=app password=QX12k9vZ"',
  'JAVA_OPTS="-Xmx1g -Djavax.net.ssl.keyStorePassword=QX12k9vZ -Dx=y"',
  "CONN='Server=db;User=app;Password=QX12k9vZ;'",
  'HELM_ARGS="--set=auth.password=QX12k9vZ"',
  'ARGS="--user app --password QX12k9vZ"',
  `run: sh -c 'tool "--level debug --token QX12k9vZ"'`,
  "primary_conninfo = 'host=db user=repl password=QX12k9vZ'",
  '<Resource url="jdbc:mysql://db/app?password=QX12k9vZ" username="u"/>',
  'kubectl create secret generic s --from-literal=password=QX12k9vZ',
  'docker build --build-arg=NPM_TOKEN=QX12k9vZ .',
  '["--set=auth.password=QX12k9vZ", "--env=DB_PASSWORD=QX12k9vZ"]',
  'a = b = c = password=QX12k9vZ',
  '{"url": "x?a=b", "args": "A=\\"password=QX12k9vZ\\""}',
  'password      = "QX12k9vZ"',
  'PASSWORD+=QX12k9vZ',
  '[ "$PASSWORD" = "QX12k9vZ" ]',
  '[[ "${PASSWORD}" == "QX12k9vZ" ]]',
  'os.environ["DB_PASSWORD"] = "QX12k9vZ"',
  `config['password'] = 'QX12k9vZ'`,
  `'password' => 'QX12k9vZ',`,
]

const formats: readonly string[] = [
  '<property>\n  <name>javax.jdo.option.ConnectionPassword</name>\n  <value>QX12k9vZ</value>\n</property>',
  '<property><name>fs.s3a.secret.key</name><value>QX12k9vZ</value></property>',
  '<property name="db.password">\n<value>QX12k9vZ</value></property>',
  '<entry key="db.password">QX12k9vZ</entry>',
  '<password><![CDATA[QX12k9vZ]]></password>',
  '<password>\n  QX12k9vZ\n</password>',
  `token = '''\nQX12k9vZ'''`,
  'secrets = [ "QX12k9vZ" ]',
  '[app.secrets]\none = "QX12k9vZ"\nfile_path = "a12"\n[other]\ntwo = "a12"',
  "define('DB_PASSWORD', 'QX12k9vZ');",
  'os.environ.get("DB_PASSWORD", "QX12k9vZ")',
  '  password QX12k9vZ',
  '  shared_key QX12k9vZ',
  '  auth_pass QX12k9vZ;',
  'password = <<EOF\nQX12k9vZ\nEOF\nplain12',
  '# password: QX12k9vZ',
  'echo "password: QX12k9vZ"',
  'x: [{name: X_HEADER, value: "Bearer QX12k9vZ"}]',
  '{"name": "Cookie", "value": "QX12k9vZ"}',
  '- name: Cookie\n  value: QX12k9vZ',
  'a: b: Bearer QX12k9vZ',
  '? password : QX12k9vZ',
  '"password QX12k9vZ": x',
  'routing_key: QX12k9vZ',
]

const plain: readonly string[] = [
  '<name>app1.name2</name><value>size12</value>',
  'ssl_certificate_key /etc/nginx/a1.key;',
  'password required pam_unix2.so',
  'the password',
  'secret web-tls-1',
  '# password: optional',
  '# the key: value12',
  'use Bearer tokens, or Basic authentication',
  '[tokenizer]\nname = "a12"',
  'size = <<EOF\na12 token\nEOF',
  'cookie: a12b3',
  't("password", "Passwort1")',
  'sort_key: a12b3',
  '--set=auth.existingSecret=web-tls-1',
  '--feature-gates=A=true,RotateKubeletServerCertificate=true',
  'if (token === undefined || token == null1) return',
  "x.key == 'node-role.kubernetes.io/control-plane'",
  '{{- $secret := randAlphaNum 10 }}',
  'URL=https://example.com/?page=12&size=b3',
  'LEVEL="a=1 b=2 c=debug4"',
  'if (( keys >= 5 )); then x=1a2b; fi',
  '## start with -----BEGIN RSA PRIVATE KEY-----\nsecrets1: []\nmaster:\n  resources: a12b3cd\n  name: web-12345',
  'annotations:\n  cert-manager.io/inject-ca-from-secret: web1/web-ca-12',
  'annotations:\n  nginx.ingress.kubernetes.io/auth-tls-secret: web1/web-ca-12\n  checksum/secrets: a12b3cd4',
  'labels:\n  external-secrets.io/component: web-12345',
  '{"annotations": {"cert-manager.io/inject-ca-from-secret": "web1/web-ca-12"}}',
  '- --secrets-format=compact12\n- --webhook-key=/usr/local/certificates/key',
  '- key: eks.amazonaws.com/compute-type\n  operator: NotIn',
  '- key: CriticalAddon1\n  operator: Exists',
  '{"tolerations": [{"key": "CriticalAddon1", "operator": "Exists"}]}',
  'auth:\n  # what web-12345 has: see a12b3cd and more\n',
  'kind: RuntimeValues\nspec:\n  secrets:\n  - name: web-12345\n    labels: {}\n    data:\n    - generator: web-12345-a\n      part: text',
]

describe('hides a value, and nothing but it', () => {
  test.each([...assigned, ...formats])('%s', (text) => {
    expect(shown(text)).toBe(text.replaceAll(SECRET, '********'))
  })
})

test.each(['<Resource url="x?password=QX12k9vZ"/>', '<url>x?password=QX12k9vZ</url>', '$(tool --set=token=QX12k9vZ)'])(
  'hides a value with what closes the text around it: %s',
  (text) => {
    expect(shown(text)).toBe(text.replace(/QX12k9vZ.*$/, '********'))
    expect(shown(`${text} QX12k9vZ`)).toBe(`${text.replace(/QX12k9vZ.*$/, '********')} ********`)
  },
)

test.each([
  'auth:\n  # QX12k9vZ\n  a: b',
  'auth:\n  # old: QX12k9vZ\n  a: b',
  'auth:\n  # old: "QX12k9vZ"\n  a: b',
  'kind: RuntimeValues\nspec:\n  secrets:\n  - name: web\n    data:\n    - template: QX12k9vZ',
  '- key: QX12k9vZ\n  other: a',
])('hides what stands among secrets: %s', (text) => {
  expect(shown(`${text}\n---\nx: QX12k9vZ`)).not.toContain(SECRET)
})

test.each([
  ['with no end', '-----BEGIN RSA PRIVATE KEY-----\nLINE\nLINE\n'],
  ['with no end, in a comment', '# -----BEGIN RSA PRIVATE KEY-----\n# LINE\n# LINE\nresources: a12b3cd'],
  ['with another head behind it', '-----BEGIN RSA PRIVATE KEY-----\nLINE\nx: y\n-----BEGIN CERTIFICATE-----'],
])('hides the lines of a key %s', (_, text) => {
  const line = 'lQOYBGXk9abcQX12k9vZ+/abcdefabcdefabcdef'
  expect(shown(text.replaceAll('LINE', line))).toBe(text.replaceAll('LINE', '********'))
})

const LINE = 'lQOYBGXk9abcQX12k9vZ+/abcdefabcdefabcdef'

test.each([
  `a: |\n  -----BEGIN PGP PRIVATE KEY BLOCK-----\n  Comment: me\n\n  ${LINE}\n  ${LINE}\n  =Ab1d\n  -----END PGP PRIVATE KEY BLOCK-----`,
  `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${LINE}\n-----END RSA PRIVATE KEY-----`,
  `{"a": "-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\nDEK-Info: AES-128-CBC,00\\n\\n${LINE}\\n-----END RSA PRIVATE KEY-----"}`,
  `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: aes256-cbc\nPrivate-Lines: 1\n${LINE}\nPrivate-MAC: 00`,
])('hides the lines of a key, and no headers: %s', (text) => {
  expect(shown(text)).toBe(text.replaceAll(LINE, '********').replace('=Ab1d', '********'))
})

describe('shows', () => {
  test.each(plain)('%s', (text) => {
    expect(shown(text)).toBe(text)
  })
})
