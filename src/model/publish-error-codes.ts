/** The codes of publishing; a part of the table of codes. */
export const publishErrorCodes = {
  PUBLISH_PERMISSION: {
    summary: 'The credentials lack a permission that publishing needs, on the forge or in its repository.',
    fix: 'Grant the permission that the error names: docs/30-forges.md lists them by forge.',
  },
  PUBLISH_REFUSED: {
    summary: 'A forge refuses to write a pull request, a comment, or another part of it.',
    fix: 'Do what the message of the forge says; often a branch, a user or a setting of the repository is not as expected.',
  },
  PUBLISH_TOO_LONG: {
    summary: 'A title, body or comment is longer than the forge takes.',
    fix: 'Shorten the template in the fleet that wrote it: docs/30-forges.md lists the limits.',
  },
  PUBLISH_NO_REMOTE: {
    summary: 'The fleet is in no git repository, or its repository has no remote "origin".',
    fix: 'Clone the repository from its forge, or add the remote `origin`: `publish` works on what it has, and on no remote of another name.',
  },
  PUBLISH_OUTSIDE: {
    summary: 'The fleet or its output folder is not part of the commit that is to be published.',
    fix: 'Keep stackmason.yaml and spec.output.path inside the repository, and push them.',
  },
  PUBLISH_NOT_PUSHED: {
    summary:
      'The commit that is checked out is on no branch of the remote, or changes of stackmason.yaml are in no commit.',
    fix: 'Commit and push first; `stackmason publish --dry-run` shows what the remote has.',
  },
  PUBLISH_BRANCH_MISSING: {
    summary: 'The remote does not have the branch that is to be rendered.',
    fix: 'Push the branch, or name another one in spec.publish.base or with --branch.',
  },
  PUBLISH_CHECKOUT: {
    summary: 'A commit holds a path that no checkout may write, or two that are the same on this file system.',
    fix: 'Rename the file in the repository. A path into .git was put there on purpose: find out by whom.',
  },
  PUBLISH_IDENTITY: {
    summary: 'git does not know who commits.',
    fix: 'Set user.name and user.email in the configuration of git.',
  },
  PUBLISH_SIGNATURE: {
    summary: 'git is configured to sign commits, but cannot.',
    fix: 'Give the job the key that user.signingKey names, or set commit.gpgSign to false for it.',
  },
  PUBLISH_OUTDATED: {
    summary: 'Each time this run wanted to push, another push to the branch came first.',
    fix: 'Run it again; let CI run one publishing job at a time.',
  },
  PUBLISH_PROTECTED: {
    summary: 'The server does not let this user push to the branch.',
    fix: 'Allow the user of CI to push to the branch, or publish by pull requests (spec.publish.into); their own branches begin with spec.publish.branchPrefix.',
  },
  PUBLISH_FORK: {
    summary:
      'The tree of a pull request from a fork, or perhaps from one, is not current, and a fork cannot be pushed to.',
    fix: 'Its author runs `stackmason render` and commits the result.',
  },
  PUBLISH_BRANCH_CHANGED: {
    summary: 'Someone else has pushed to the branch of a pull request, or changed our commit on it.',
    fix: 'Merge the pull request, or take that commit off its branch. Where the tree there is older than its inputs, run `stackmason render` on the branch and commit the result.',
  },
  PUBLISH_BRANCH_KEPT: {
    summary:
      'A branch of stackmason on which nothing is left to propose stays: the server does not let it be deleted, or somebody has opened a pull request from it.',
    fix: 'Let the user of CI delete branches below spec.publish.branchPrefix, or delete the branch by hand; merge or close the pull request of somebody else. It does no harm until then.',
  },
  PUBLISH_UNFINISHED: {
    summary: 'A run of publish has ended in an error after it had written a part; the finding lists the part.',
    fix: 'Fix the error beside it and run it again: what is done stays, and the next run does the rest.',
  },
  PUBLISH_NO_FORGE: {
    summary: 'A branch was pushed for a pull request, but it is not known which forge the branch is on.',
    fix: 'Set kind and url under spec.publish.forge of stackmason.yaml.',
  },
  PUBLISH_PEOPLE: {
    summary: 'A user or a team cannot be asked for a review, or a user cannot be assigned.',
    fix: 'Correct the names in spec.publish.pullRequest, or let these people read the repository.',
  },
  PUBLISH_AUTO_MERGE: {
    summary: 'A forge does not merge a pull request by itself, although the fleet asks for it.',
    fix: 'Allow it in the settings of the repository, and require a check on the branch.',
  },
  PUBLISH_STATUS_FAILED: {
    summary: 'A commit status that the next step of an upgrade waits for has failed, or was skipped.',
    fix: 'Fix what it reports, or let it run: a job is skipped where one that it needs has failed. The upgrade goes on once the status is successful, on that commit or on a later one; everything else of the fleet is published meanwhile.',
  },
  PUBLISH_STATUS_UNKNOWN: {
    summary: 'The commit statuses that upgrades wait for cannot be read: it is not known which forge the branch is on.',
    fix: 'Set kind and url under spec.publish.forge of stackmason.yaml.',
  },
  PUBLISH_WAVE_STOPPED: {
    summary: 'A cluster of a wave fails, so neither its wave nor those behind it get a newer release.',
    fix: 'Fix what the commit status reports. If another release fixes it, write that release into cluster.yaml by hand.',
  },
  PUBLISH_WAVE_CLUSTERS: {
    summary: 'A cluster is in no wave of the rollout of its stack, or in several, so nothing moves it.',
    fix: 'Give it the labels of one wave in metadata.labels of its cluster.yaml.',
  },
  PUBLISH_WAVE_EDIT: {
    summary: 'Class or version in a cluster.yaml cannot be changed automatically.',
    fix: 'Write both as plain text, without anchor or alias; or change them by hand.',
  },
  PUBLISH_WAVES_UNUSED: {
    summary: 'The fleet has rollouts, but publishes in a way that cannot change cluster.yaml by pull requests.',
    fix: 'Set spec.publish.into to pullRequest and keep the tree beside the fleet, or remove spec.rollouts.',
  },
  PUBLISH_HOLD_UNUSED: {
    summary:
      'A cluster is on hold, but its change goes into a branch, and not into a pull request of publish, which it could be kept out of.',
    fix: 'Set spec.publish.into to pullRequest; or freeze the cluster, which keeps its files as they are committed.',
  },
  PUBLISH_LOOPS: {
    summary: 'Several commits of stackmason follow each other on a branch, and rendering still changes files.',
    fix: 'Find out what differs between two runs; keep one version with spec.requiredVersion.',
  },
  PUBLISH_KEY: {
    summary: 'The key for signing artifacts is missing, or cannot be used.',
    fix: 'Give the job the key and the password that spec.publish.oci.signing names.',
  },
  PUBLISH_NOT_PINNED: {
    summary: 'The tree of the branch holds something else than the artifacts that it pins.',
    fix: 'Run `stackmason publish` without --oci: it pushes the artifacts, and proposes the pins.',
  },
  PUBLISH_TAG_KEPT: {
    summary: 'A tag in a registry leads to an artifact of a newer commit, or a version to another artifact: it stays.',
    fix: 'Let CI run one publishing job at a time; give other content another version.',
  },
  PUBLISH_TEMPLATE: {
    summary: 'A template for a pull request or a commit fails, or does not fit.',
    fix: 'Correct the template below templates/publish/, or remove it to use the built-in one.',
  },
} as const
