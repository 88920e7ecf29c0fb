import { describe, expect, test } from 'vitest'
import { comparedServer, refuseServer } from '../../../src/controller/argocd-cluster/server-address.ts'

const MANAGEMENT = 'it is the API server of the management cluster'
const MACHINE = 'it is an address of whichever machine asks (loopback, unspecified or link-local)'

describe('refuseServer', () => {
  test.each([
    'https://kubernetes.default.svc',
    'https://kubernetes.default.svc/',
    'https://kubernetes.default.svc//',
    'https://kubernetes.default.svc:443',
    'https://kubernetes.default.svc:6443/x',
    'https://kubernetes.default.svc.',
    'https://kubernetes.default.svc..',
    'https://Kubernetes.Default.SVC',
    ' https://kubernetes.default.svc\n',
    'ht\ttps:\\\\kubernetes.default.svc',
    'https://kubernetes%2Edefault.svc',
    'https://kubernetes。default。svc',
    'https://ｋubernetes.default.svc',
    'https://kubernetes.default.svc.cluster.local',
    'https://kubernetes.default.svc.example.com:443',
    'https://kubernetes.default',
    'https://kubernetes',
    'https://10.96.0.1',
    'https://10.96.0.1:443/',
    'https://10.96.0.1:443/x',
    'https://0x0a600001',
    'https://10.6291457',
    'https://0012.0140.0.1',
    'https://[::ffff:10.96.0.1]',
    'https://[64:ff9b::a60:1]',
  ])('not the management cluster: %j', (server) => {
    expect(refuseServer(server, '10.96.0.1')).toBe(MANAGEMENT)
  })

  test.each([
    { host: 'mgmt.example:6443', server: 'https://MGMT.example.:6443' },
    { host: 'mgmt.example', server: 'https://mgmt.example:443' },
    { host: '[fd00::1]:6443', server: 'https://[fd00:0::0001]:6443' },
  ])('not the management cluster as $host: $server', ({ host, server }) => {
    expect(refuseServer(server, host)).toBe(MANAGEMENT)
  })

  test.each([
    'https://127.0.0.1:6443',
    'https://127.1',
    'https://127.255.255.254',
    'https://0x7f.1',
    'https://2130706433',
    'https://017700000001',
    'https://0.0.0.0:6443',
    'https://0',
    'https://169.254.169.254',
    'https://localhost:6443',
    'https://LOCALHOST.',
    'https://a.localhost',
    'https://localhost.localdomain',
    'https://localhost6',
    'https://ip6-loopback',
    'https://[::]',
    'https://[::1]:6443',
    'https://[0:0:0:0:0:0:0:1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::127.0.0.1]',
    'https://[fe80::1]',
    'https://[febf::1]',
  ])('not an address of the machine: %s', (server) => {
    expect(refuseServer(server, '10.96.0.1')).toBe(MACHINE)
  })

  test.each([
    'https://192.0.2.10:6443',
    'https://10.96.0.1:6443',
    'https://web.team-a.svc:6443',
    'https://web.team-a.svc.cluster.local:6443',
    'https://kubernetes.team-a.svc',
    'https://kubernetes.default.example.com',
    'https://kubernetes.example.com',
    'https://localhost.example.com',
    'https://128.0.0.1',
    'https://169.253.0.1',
    'https://[fd00::1]:6443',
    'https://[fec0::1]',
    'https://[2001:db8::127.0.0.1]',
    'https://proxy.example/k8s/clusters/web',
    'no address',
  ])('a workload cluster: %s', (server) => {
    expect(refuseServer(server, '10.96.0.1')).toBeUndefined()
  })
})

describe('comparedServer', () => {
  test.each([
    ['https://192.0.2.10:6443', 'https://192.0.2.10:6443/'],
    ['https://192.0.2.10:6443', 'https://0xc000020a:6443//'],
    ['https://192.0.2.10:6443', 'https://[::ffff:192.0.2.10]:6443'],
    ['https://api.example', 'https://API.example.:0443'],
    ['https://api.example/k8s/a', 'https://api.example/./k8s//%61/'],
    ['https://[fd00::1]:6443', 'https://[fd00:0::01]:6443'],
    ['no address', 'no address'],
  ])('%s is the same as %s', (one, other) => {
    expect(comparedServer(other)).toBe(comparedServer(one))
  })

  test.each([
    ['https://192.0.2.10:6443', 'https://192.0.2.10:6444'],
    ['https://192.0.2.10:6443', 'https://192.0.2.11:6443'],
    ['https://api.example/k8s/a', 'https://api.example/k8s/A'],
    ['https://api.example', 'https://api.example.com'],
    ['https://[fd00::1]', 'https://[fd00::2]'],
  ])('%s is another than %s', (one, other) => {
    expect(comparedServer(other)).not.toBe(comparedServer(one))
  })
})
