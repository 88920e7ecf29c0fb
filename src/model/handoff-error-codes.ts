/** The codes of handing the tree to a GitOps tool; a part of the table of codes. */
export const handoffErrorCodes = {
  HANDOFF_TEMPLATE: {
    summary: 'A template for an object of the GitOps tool fails, or its output is not safe to hand over.',
    fix: 'Correct the template below templates/handoff/, or remove it to use the built-in one.',
  },
  HANDOFF_NAME_TOO_LONG: {
    summary: 'The name of a unit or release is too long for the GitOps tool.',
    fix: 'Give the cluster, or the release, a shorter name.',
  },
  HANDOFF_NAME_CONFLICT: {
    summary: 'Two units would get the same name in one namespace.',
    fix: 'Give the cluster that the message names another name: names of its units contain it.',
  },
  HANDOFF_UNREACHED: {
    summary:
      'A run with --cluster or --stack wrote units that the GitOps tool does not reach: a list above them does not name them, or something that is built together with them does not build.',
    fix: 'Run `stackmason render` without --cluster and --stack, and commit the result: it also writes the lists and the files of other clusters.',
  },
  HANDOFF_UNIT_CHANGES: {
    summary:
      'Objects of addons are about to move from one unit to another, or an empty unit is about to be removed. In a single commit the objects could be deleted and recreated, or left behind.',
    fix: 'Commit, let the GitOps tool apply it, and render again: the next commit moves the objects or removes the unit.',
  },
  HANDOFF_PATH_DIFFERS: {
    summary:
      'The path, branch, source or repository that the GitOps tool is pointed at is not that of the tree, for example after the output folder has moved.',
    fix: 'Set what the message names, in stackmason.yaml or in the file in bootstrap/; apply the latter again. If another branch or repository holds the tree under another path, or as a mirror, acknowledge the warning.',
  },
  OUTPUT_MOVED: {
    summary:
      'The output folder, or the place that `spec.publish` names, is not the one in which the tree of the fleet is committed.',
    fix: 'Move the tree with `git mv`, then render and commit; or restore `spec.output.path`. A published tree moves as docs/29-publish.md says.',
  },
  COMMITTED_TREE_BROKEN: {
    summary:
      'Committed files of a cluster or a class do not fit together, but the run needs them: the cluster is frozen or decommissioned, its Cluster is gone from the committed tree, or no source has the release any longer.',
    fix: 'Restore the files from the last commit in which they were complete, commit that, and render again.',
  },
  OUTPUT_UNCOMMITTED: {
    summary:
      'Files of the output folder are in no commit: git ignores them, or nobody has added them, though the last commit lists them or a step waits for them. Or the last commit has a tree without the inputs that it is rendered from.',
    fix: 'Take them out of .gitignore (`git check-ignore -v <file>` names the line), `git add` them with new inputs, and commit.',
  },
  OUTPUT_FOREIGN: {
    summary: 'Something that stackmason did not write lies in the rendered tree.',
    fix: 'Move it out of the output folder: a GitOps tool may apply it, or take settings from it.',
  },
  OUTPUT_HIDDEN: {
    summary: 'A .sourceignore hides rendered files from Flux.',
    fix: 'Take the line out: Flux applies all files of a folder whose kustomization.yaml is hidden, and nothing of a folder that is.',
  },
  OUTPUT_ALTERED: {
    summary:
      'The commit has other content of rendered files than the disk, since a .gitattributes makes git alter them.',
    fix: 'Take the attribute (`filter`, `ident`, `working-tree-encoding`) away from rendered files, check them out anew, and render again.',
  },
  OUTPUT_EDITED: {
    summary: 'A change edits rendered files that no render from its base makes so.',
    fix: 'Let the files be as the base has them, or as `stackmason render --base <base>` writes them.',
  },
  OUTPUT_PIN: {
    summary:
      'A pin of an artifact in the rendered tree is not what `publish` writes there, or pins other content than the tree has.',
    fix: 'Restore the file as the base has it (`git checkout <base> -- <file>`), and let `stackmason publish` write pins.',
  },
  GIT_ELSEWHERE: {
    summary: 'GIT_DIR of the environment names another repository than the one that the fleet lies in.',
    fix: 'Unset GIT_DIR and GIT_WORK_TREE: commits are asked of the repository around the fleet.',
  },
  INPUT_NOT_CHECKED_OUT: {
    summary:
      'git leaves inputs of the fleet, or files of its tree, out of the work tree: by a sparse checkout, by the flag skip-worktree, or as a submodule that is not checked out. A run would take them for deleted.',
    fix: 'Add the folders that the message names to the sparse checkout, or bring the submodule with `git submodule update --init`.',
  },
  INPUT_LINE_ENDS: {
    summary:
      'git has checked inputs of the fleet out with CRLF line ends, and the commit has LF. Inputs are read byte by byte: what they render to may differ from what they render to in other checkouts.',
    fix: 'Write `* -text` into .gitattributes, and check the files out again; docs/38-troubleshooting.md has the commands.',
  },
  OUTPUT_OUTSIDE: {
    summary:
      'The fleet lies in a git repository and is handed to a GitOps tool, but the output folder is in no repository.',
    fix: 'Set `spec.output.path` to a folder of a git repository.',
  },
  HANDOFF_TOOL_CHANGES: {
    summary:
      'The fleet uses another GitOps tool than the committed tree, or none; or a commit went to its tool without a word, as a revert does.',
    fix: 'Remove the objects of the old tool from the management cluster, and confirm it with `spec.retiredTool`: docs/19-life-of-a-cluster.md has the steps. Or restore `spec.handoff`.',
  },
  HANDOFF_TOOL_LEFT: {
    summary: 'A file in bootstrap/ points a GitOps tool at the tree that is handed over to another one, or to none.',
    fix: 'When the objects that the file made are gone from the management cluster, remove it.',
  },
  HANDOFF_TOOL_RETIRED: {
    summary:
      '`spec.retiredTool` names a GitOps tool that no longer applies the tree; or suspended clusters, which the new tool does not take over, still have its fields.',
    fix: 'Remove the line when the commit that changed the tool is merged and applied, in clusters that were suspended, too, and the old tool has given up its fields.',
  },
  HANDOFF_WAITS_FOR_CONFIRMATION: {
    summary:
      'An object of an addon with Prune=confirm leaves the tree: its Argo CD Application applies nothing until a user confirms the deletion.',
    fix: 'When the Application waits, annotate it as the message says. To keep the object, put it back, render and commit.',
  },
  HANDOFF_OBJECT_STAYS: {
    summary:
      'An object of an addon that the GitOps tool must not delete leaves the tree: a Namespace, a volume, a claim, a definition with Flux, an object that the chart keeps, or one that was about to move to another unit. It stays in the cluster.',
    fix: 'Delete it by hand when nothing needs it any longer. Deleting a Namespace deletes everything in it.',
  },
} as const
