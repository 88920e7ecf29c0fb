/** Where a program takes a secret. What its long flags are called for (`--password`) is known without it. */
export interface Program {
  readonly name: RegExp
  /** A line without it has no such command: a quick look first; only where the name of a secret is not in it anyway. */
  readonly mark?: RegExp
  /** Words without a flag that come first, in this order. */
  readonly words?: readonly RegExp[]
  /** A flag that must be there. */
  readonly needs?: RegExp
  /** Flags whose value, beside or behind `=`, is the secret; of one letter also without a space. */
  readonly secret?: RegExp
  /** Flags whose value is a user and, behind `:` or `%`, the secret. */
  readonly login?: RegExp
  /** Flags whose value is a name and, behind `=`, the secret. */
  readonly literal?: RegExp
  /** Flags with another value, which is no word of its own. */
  readonly valued?: RegExp
  /** The word without a flag that is the secret, behind `words`; -1 for the last one. */
  readonly operand?: number
  /** The same, with a user before its colon. */
  readonly loginOperand?: number
  /** The words without a flag, from this one on, are names with a secret behind `=`. */
  readonly literals?: number
  /** Its input: the secret, or a user and a secret on each line. */
  readonly reads?: 'secret' | 'logins'
}

const HTPASSWD = /^-[a-zA-Z]*b[a-zA-Z]*$/

/** The programs, as their manual pages say it. */
export const programs: readonly Program[] = [
  // shadow-utils: chpasswd(8), passwd(1), useradd(8), usermod(8)
  { name: /^chpasswd$/, reads: 'logins' },
  { name: /^(?:passwd|smbpasswd|grub2?-mkpasswd-pbkdf2)$/, reads: 'secret' },
  { name: /^(?:user|group)(?:add|mod)$/, mark: /user(?:add|mod)|group(?:add|mod)/, secret: /^(?:-p|--password)$/ },
  // whois: mkpasswd(1); OpenLDAP: slappasswd(8C)
  { name: /^mkpasswd$/, valued: /^-[mSRP]$/, operand: 0 },
  { name: /^slappasswd$/, secret: /^-s$/ },
  // Apache: htpasswd(1)
  { name: /^htpasswd$/, needs: HTPASSWD, valued: /^-[Cr]$/, operand: -1 },
  { name: /^htpasswd$/, needs: /^-[a-zA-Z]*i/, reads: 'secret' },
  // OpenSSL: openssl-passwd(1), openssl-passphrase-options(1), openssl-enc(1), openssl-dgst(1)
  { name: /^openssl$/, words: [/^passwd$/], valued: /^-(?:salt|in)$/, operand: 0 },
  { name: /^openssl$/, words: [/^passwd$/], needs: /^-stdin$/, reads: 'secret' },
  { name: /^openssl$/, mark: /openssl\s/, words: [/^enc$|^aes|^des|^camellia|^aria/], secret: /^-[kK]$/ },
  { name: /^openssl$/, login: /^-pass(?:in|out)?$/ },
  { name: /^openssl$/, words: [/^(?:dgst|sha\d+|md5)$/], secret: /^-hmac$/ },
  // MySQL and MariaDB: mysqladmin(1)
  { name: /^(?:mysqladmin|mariadb-admin)$/, valued: /^-[uhPS]$/, words: [/^(?:old-)?password$/], operand: 0 },
  // logins of registries and servers: docker-login(1), podman-login(1), helm registry login, crane auth login, az login
  {
    name: /^(?:docker|podman|nerdctl|finch|buildah|skopeo|oras|helm|g?crane|regctl|cosign|notation|apptainer|az|oc|argocd|flux|singularity)$/,
    mark: /\blogin\b/,
    needs: /^login$/,
    secret: /^(?:-p|--password)$/,
  },
  {
    name: /^(?:docker|podman|nerdctl|finch|buildah|skopeo|oras|helm|g?crane|regctl|cosign|notation|apptainer|singularity)$/,
    needs: /^--password-stdin$/,
    reads: 'secret',
  },
  // skopeo-copy(1), podman-pull(1), crictl pull, ctr images pull
  {
    name: /^(?:podman|buildah|skopeo|crictl|ctr|nerdctl)$/,
    mark: /-creds|\bctr\s/,
    login: /^--(?:(?:src|dest)-)?creds$|^--user$/,
  },
  // kubectl create secret, kustomize edit add secret
  { name: /^(?:kubectl|oc|k|kustomize)$/, mark: /--from-literal/, needs: /^secret$/, literal: /^--from-literal$/ },
  // etcdctl(1), https://etcd.io/docs/latest/op-guide/authentication/rbac/
  { name: /^etcdctl$/, mark: /etcdctl/, login: /^--user$/ },
  { name: /^etcdctl$/, words: [/^user$/, /^add$/], loginOperand: 0 },
  // curl(1), HTTPie
  { name: /^curl$/, mark: /\bcurl\s|--(?:proxy-)?user\b/, login: /^(?:-[uU]|--(?:proxy-)?user)$/ },
  { name: /^(?:https?|xh)$/, mark: /\b(?:https?|xh)\s/, login: /^(?:-a|--auth)$/ },
  // OpenLDAP: ldapsearch(1), ldappasswd(1)
  { name: /^ldap[a-z]+$/, mark: /\bldap[a-z]+\s/, secret: /^-w$/ },
  { name: /^ldappasswd$/, secret: /^-[as]$/ },
  // Samba: smbclient(1), net(8); mount.cifs(8) is found by its name
  {
    name: /^(?:smbclient|rpcclient|smbget|net)$/,
    mark: /(?:smbclient|rpcclient|smbget|\bnet)\s/,
    login: /^(?:-U|--user)$/,
  },
  { name: /^net$/, words: [/^user$/], operand: 1 },
  // ipmitool(1), sqlcmd, bcp
  { name: /^(?:ipmitool|sqlcmd|bcp)$/, mark: /(?:ipmitool|sqlcmd|\bbcp)\s/, secret: /^-P$/ },
  // Net-SNMP: snmpcmd(1)
  { name: /^snmp[a-z]+$/, mark: /\bsnmp[a-z]+\s/, secret: /^-[cAX]$/ },
  // Vault: login, kv put, operator unseal
  { name: /^(?:vault|bao)$/, mark: /\b(?:vault|bao)\s/, words: [/^login$/], operand: 0 },
  { name: /^(?:vault|bao)$/, words: [/^operator$/, /^unseal$/], operand: 0 },
  { name: /^(?:vault|bao)$/, words: [/^kv$/, /^(?:put|patch)$/], literals: 1 },
  // GitHub and GitLab: gh auth login, gh secret set, glab auth login
  { name: /^gh$/, mark: /\bgh\s/, words: [/^auth$/, /^login$/], needs: /^--with-token$/, reads: 'secret' },
  { name: /^gh$/, words: [/^secret$/, /^set$/], secret: /^(?:-b|--body)$/, reads: 'secret' },
  { name: /^glab$/, mark: /\bglab\s/, words: [/^auth$/, /^login$/], needs: /^--stdin$/, reads: 'secret' },
  // rabbitmqctl(8)
  {
    name: /^rabbitmqctl$/,
    mark: /rabbitmqctl/,
    valued: /^-[npt]$/,
    words: [/^(?:add_user|change_password|authenticate_user)$/],
    operand: 1,
  },
  // k3s agent, rke2 agent
  { name: /^(?:k3s|rke2)$/, mark: /\b(?:k3s|rke2)\s/, secret: /^-t$/ },
  // keytool(1), jarsigner(1)
  { name: /^(?:keytool|jarsigner)$/, secret: /^-[a-z]*pass$/ },
  // cryptsetup(8), sudo(8), gpg(1), kinit(1), adcli(8)
  { name: /^cryptsetup$/, mark: /cryptsetup/, reads: 'secret' },
  { name: /^sudo$/, mark: /\bsudo\s+-/, needs: /^-[a-zA-Z]*S/, reads: 'secret' },
  { name: /^gpg2?$/, needs: /^--passphrase-fd(?:=0)?$/, reads: 'secret' },
  { name: /^kinit$/, mark: /\bkinit\b/, reads: 'secret' },
  { name: /^adcli$/, needs: /^--stdin-password$/, reads: 'secret' },
  // kadmin(1)
  { name: /^kadmin(?:\.local)?$/, mark: /kadmin/, secret: /^-w$/ },
  { name: /^(?:addprinc|add_principal|cpw|change_password|ank)$/, mark: /\s-pw\s/, secret: /^-pw$/ },
  // rclone obscure, mc alias set, aws configure set, caddy hash-password, doveadm pw
  { name: /^rclone$/, mark: /rclone\s+obscure/, words: [/^obscure$/], operand: 0 },
  { name: /^mc(?:li)?$/, mark: /\balias\s+set\b/, words: [/^alias$/, /^set$/], operand: 3 },
  { name: /^aws$/, words: [/^configure$/, /^set$/, /secret|token/], operand: 0 },
  { name: /^caddy$/, words: [/^hash-password$/], secret: /^(?:-p|--plaintext)$/ },
  { name: /^doveadm$/, mark: /doveadm/, words: [/^pw$/], secret: /^-p$/ },
  // nmcli(1), wpa_passphrase(8)
  { name: /^nmcli$/, words: [/^d(?:ev(?:ice)?)?$/, /^w(?:ifi)?$/, /^c/, /./, /^password$/], operand: 0 },
  { name: /^wpa_passphrase$/, operand: 1 },
]
