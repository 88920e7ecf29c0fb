import type { Lock, LockedDependency, LockedRelease } from '../../../src/model/lock.ts'

/** A digest that tells what it is for. */
export function fakeDigest(seed: string): string {
  const hex = Array.from(seed, (letter) => (letter.codePointAt(0) ?? 0).toString(16)).join('')
  return `sha256:${hex.padEnd(64, '0').slice(0, 64)}`
}

/** A release as the lock holds it, from a registry. */
export function lockedRelease(name: string, more: Partial<LockedRelease> = {}): LockedRelease {
  return {
    name,
    source: 'releases',
    from: `oci://registry.example.com/kaas/cluster-stacks:${name}`,
    revision: fakeDigest(`r${name.slice(-20)}`),
    digest: fakeDigest(`d${name.slice(-20)}`),
    kubernetesVersion: 'v1.34.7',
    stacks: ['platform/openstack-scs2'],
    addons: new Map([
      ['ccm', '2.34.2'],
      ['cilium', '1.18'],
      ['metrics-server', '3.13.0'],
    ]),
    assets: new Map([
      ['clusteraddon.yaml', fakeDigest('same')],
      ['metadata.yaml', fakeDigest(`m${name.slice(-20)}`)],
      ['node-images.yaml', fakeDigest('same')],
      [`${name}-cluster-class.tgz`, fakeDigest(`c${name.slice(-20)}`)],
    ]),
    ...more,
  }
}

/** A dependency as the lock holds it. */
export function lockedDependency(
  name: string,
  version: string,
  more: Partial<LockedDependency> = {},
): LockedDependency {
  return {
    name,
    repository: 'https://charts.example.com',
    request: `~${version}`,
    version,
    url: `https://charts.example.com/${name}-${version}.tgz`,
    digest: fakeDigest(name + version),
    ...more,
  }
}

/** A lock of releases and dependencies. */
export function lockOf(releases: readonly LockedRelease[], dependencies: readonly LockedDependency[] = []): Lock {
  return { releases, dependencies }
}
