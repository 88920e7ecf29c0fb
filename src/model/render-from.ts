import { type ObjectName, objectPath } from './object-name.ts'

/**
 * The command that writes one cluster as it follows on a commit, as hints name it. A run of the whole fleet would write
 * clusters that have gone on since as they were, and take their steps again.
 */
export function renderFrom(commit: string, cluster: ObjectName): string {
  return `\`stackmason render --base ${commit} --cluster ${objectPath(cluster)}\``
}
