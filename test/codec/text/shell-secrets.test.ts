import { describe, expect, test } from 'vitest'
import { MaskTexts } from '../../../src/codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../../src/codec/text/secret-texts.ts'
import { maskSecretWords } from '../../../src/codec/text/secret-words.ts'

function shown(text: string): string {
  const masks = new MaskTexts()
  collectSecretTexts(text, (secret) => {
    masks.add(secret)
  })
  return masks.mask(text, 'strict')
}

/** Lines of scripts; `SECRET` stands for a word that says nothing, and for one that looks like a password. */
const lines: readonly string[] = [
  'echo "root:SECRET" | chpasswd',
  'echo root:SECRET | sudo chpasswd -e',
  `printf 'root:%s\\n' SECRET | chpasswd`,
  `printf '%s:%s\\n' root SECRET | /usr/sbin/chpasswd`,
  'chpasswd <<< "root:SECRET"',
  'chpasswd <<EOF\nroot:SECRET\nubuntu:SECRET\nEOF',
  `cat <<'EOF' | chroot /mnt chpasswd\nroot:SECRET\nEOF`,
  `sh -c 'echo "root:SECRET" | chpasswd'`,
  `- 'echo "root:SECRET" | chpasswd'`,
  'postKubeadmCommands: ["echo root:SECRET | chpasswd"]',
  'RUN echo "root:SECRET" | chpasswd',
  'echo SECRET | passwd --stdin root',
  String.raw`echo -e "SECRET\nSECRET" | passwd root`,
  'htpasswd -b -c /etc/x user SECRET',
  'htpasswd -cbB -C 10 /etc/x user SECRET',
  'htpasswd -nb user SECRET',
  'curl -u user:SECRET https://x',
  'curl -s --user "user:SECRET" https://x',
  'mysql -uroot -pSECRET -h x',
  'kubectl exec -it db-0 -- mysql -u root -pSECRET',
  'mysqladmin -u root password SECRET',
  'PGPASSWORD=SECRET psql',
  'MYSQL_PWD=SECRET mysql',
  'sshpass -p SECRET ssh x',
  'sshpass -pSECRET ssh x',
  'docker login -u x -p SECRET reg',
  'echo SECRET | docker login -u x --password-stdin reg',
  'docker login --password-stdin -u x reg <<< SECRET',
  `printf '%s' "SECRET" | helm registry login --password-stdin -u x reg`,
  'helm registry login --password SECRET reg',
  'crane auth login reg -u x -p SECRET',
  'skopeo copy --src-creds=user:SECRET a b',
  'skopeo copy --dest-creds user:SECRET a b',
  'ctr images pull --user user:SECRET x',
  'crictl pull --creds user:SECRET x',
  'az login --service-principal -u a -p SECRET --tenant t',
  'argocd login x --username admin --password SECRET',
  'kubectl create secret generic s --from-literal=anything=SECRET',
  'kubectl -n x create secret generic s --from-literal a=SECRET',
  `oc create secret generic s --from-literal='a=SECRET' --from-literal="b=SECRET"`,
  'kubectl create secret docker-registry s --docker-username=x --docker-password=SECRET',
  'openssl passwd -6 SECRET',
  'openssl passwd -1 -salt xy SECRET',
  'openssl enc -aes-256-cbc -k SECRET -in x',
  'openssl pkcs12 -export -passout pass:SECRET -in x',
  'useradd -m -p SECRET bob',
  'useradd -m -p "$(openssl passwd -6 SECRET)" bob',
  'usermod --password SECRET bob',
  'echo SECRET | sudo -S apt install x',
  'kubeadm join 10.0.0.1:6443 --token SECRET',
  'k3s agent --server https://x -t SECRET',
  'etcdctl --user root:SECRET get x',
  'etcdctl user add root:SECRET',
  'ldapsearch -D cn=x -w SECRET -b x',
  'ldappasswd -s SECRET -D x',
  'smbclient -U user%SECRET //x',
  'sqlcmd -S x -U sa -P SECRET',
  'ipmitool -U admin -P SECRET chassis status',
  'snmpget -v2c -c SECRET host',
  'cat > /root/.pgpass <<EOF\ndb:5432:app:user:SECRET\nEOF',
  `cat > /etc/secret-token <<'EOF'\nSECRET\nEOF`,
  'cat <<-EOF > /etc/app/password\n\tSECRET\n\tEOF',
  'echo SECRET > /etc/app/password',
  'echo -n "SECRET" >> /run/secrets/db_password',
  'echo SECRET | sudo tee /etc/app/api-token',
  'vault login SECRET',
  'vault kv put secret/x anything=SECRET',
  'echo SECRET | gh auth login --with-token',
  'http -a user:SECRET GET x',
  'rabbitmqctl -n node add_user u SECRET',
  'rabbitmqctl change_password u SECRET',
  'echo -n SECRET | cryptsetup luksFormat /dev/x -',
  'keytool -genkey -storepass SECRET -keypass SECRET',
  'rclone obscure SECRET',
  'mc alias set name https://x user SECRET',
  'nmcli dev wifi connect net password SECRET',
  'read -r DB_PASSWORD <<< SECRET',
  'htpasswd -nb user \\\n  SECRET',
  '#cloud-config\nchpasswd:\n  list: |\n    root:SECRET\n  expire: false',
  '#cloud-config\nchpasswd:\n  list:\n    - root:SECRET',
  '#cloud-config\nchpasswd:\n  users:\n    - name: root\n      password: SECRET\n      type: text',
  '#cloud-config\nusers:\n  - name: a\n    plain_text_passwd: SECRET',
]

describe('a secret that a script gives to a program is found:', () => {
  describe.each(['orchard', 'QX12k9vZ'])('%s', (secret) => {
    test.each(lines)('%s', (line) => {
      expect(shown(line.replaceAll('SECRET', secret))).not.toContain(secret)
    })
  })
})

test.each([
  [`echo 'root:a12;b34|c56' | chpasswd`, `echo 'root:********' | chpasswd`],
  [`echo 'root:a12 b34' | passwd`, `echo '********' | passwd`],
  [`curl -u user:'a12;b34' https://x`, `curl -u user:'********' https://x`],
  [`curl -u "user:a12&b34" https://x`, `curl -u "user:********" https://x`],
  ['bash -c "htpasswd -nb user a12:b34"', 'bash -c "htpasswd -nb user ********"'],
  [String.raw`bash -c "echo \"root:a12;b34\" | chpasswd"`, String.raw`bash -c "echo \"root:********\" | chpasswd"`],
])('a secret is found with its signs: %s', (text, want) => {
  expect(shown(text)).toBe(want)
})

describe('is shown, since it is no secret:', () => {
  test.each([
    'echo "root:$PASSWORD" | chpasswd',
    'echo "root:${PASSWORD}" | chpasswd',
    'echo "root:$(cat /run/x)" | chpasswd',
    'echo "root:{{ .password }}" | chpasswd',
    'chpasswd < /run/logins',
    'cat /run/logins | chpasswd',
    'htpasswd -bc /etc/x user "$PASSWORD"',
    'htpasswd -c /etc/x user',
    'curl -u "$LOGIN:$PASSWORD" https://x',
    'curl --user "$LOGIN" https://x',
    'curl -u : --negotiate https://x',
    'mysql -u root -p"$PASSWORD" -h db',
    'mysql -u root -p app',
    'PGPASSWORD=$PASSWORD psql -h db',
    'sshpass -e ssh node',
    'sshpass -f /run/x ssh node',
    'sshpass -p "$(cat /run/x)" ssh node',
    'docker login -u robot --password-stdin registry.example < /run/x',
    'echo "$PASSWORD" | docker login -u robot --password-stdin registry.example',
    'docker run -p 8080:80 -u 1000:1000 image',
    'kubectl create secret generic app --from-file=values=/run/x',
    'kubectl create configmap app --from-literal=level=debug',
    'kubectl create secret generic app --from-literal=a="$VALUE"',
    'kubectl get secret app -n default',
    'openssl passwd -6 -stdin',
    'openssl x509 -in /etc/x.crt -noout -dates',
    'openssl rsa -passin env:WORD -in x',
    'openssl rsa -passin file:/run/x -in x',
    `useradd -m -s /bin/bash -p '!' bob`,
    'useradd -m -s /bin/bash -u 1001 bob',
    'usermod -aG docker bob',
    'passwd -l root',
    'cat /etc/passwd | grep root',
    'grep root /etc/passwd > /tmp/users',
    'mkdir -p /etc/app',
    'ssh -p 2222 node uptime',
    'echo done | tee /var/log/app.log',
    'echo nameserver 10.0.0.1 > /etc/resolv.conf',
    'kubeadm join 10.0.0.1:6443 --token "$TOKEN"',
    'kubeadm token create --print-join-command',
    'vault login -method=kubernetes role=app',
    'vault kv get secret/app',
    'vault kv put secret/app a=@file',
    'helm upgrade app chart --set image.tag=v1 > /dev/null',
    'ldapsearch -x -b dc=example -s sub filter',
    'net ads testjoin',
    'k3s server --cluster-init',
    'sudo systemctl restart kubelet',
    'login: docker login first',
    'cat <<EOF > /etc/app/password\n$PASSWORD\nEOF',
    'cat > /etc/ssl/app.key <<EOF\n-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG\n-----END PUBLIC KEY-----\nEOF',
    '# chpasswd reads logins from its input',
    'description: passwd and chpasswd change logins; docker is not needed',
  ])('%s', (text) => {
    expect(shown(text)).toBe(text)
  })
})

test.each([
  { words: ['htpasswd', '-nb', 'user', 'orchard'], want: ['htpasswd', '-nb', 'user', '********'] },
  {
    words: ['kubectl', 'create', 'secret', 'generic', 's', '--from-literal=a=orchard'],
    want: ['kubectl', 'create', 'secret', 'generic', 's', '--from-literal=a=********'],
  },
  { words: ['useradd', '-p', 'orchard,', 'bob'], want: ['useradd', '-p', '********', 'bob'] },
  { words: ['mysqladmin', 'password', 'orchard'], want: ['mysqladmin', 'password', '********'] },
  { words: ['curl', '--user=me:orchard', '-uyou:orchard2'], want: ['curl', '--user=me:********', '-uyou:********'] },
])('the words of a list are those of a command: $words', ({ words, want }) => {
  expect(maskSecretWords(words)).toEqual(want)
})
