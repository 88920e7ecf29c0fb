/** The codes of adopting what the Cluster Stack Operator manages; a part of the table of codes. */
export const adoptErrorCodes = {
  ADOPT_INPUT_INVALID: {
    summary: 'A file of the export holds no Kubernetes objects, or none of the right cluster.',
    fix: 'Export the objects with `kubectl get … -o yaml`; docs/20-moving-from-cso.md has the commands.',
  },
  ADOPT_FILE_EXISTS: {
    summary: 'A file that `stackmason adopt` would write exists already.',
    fix: 'Choose an empty folder, or move the file away.',
  },
  ADOPT_SOURCE_UNKNOWN: {
    summary: 'Nothing says where the Cluster Stack Operator gets its releases from.',
    fix: 'Pass --oci, --github or --directory, set the variables of the operator, or replace the placeholder in stackmason.yaml.',
  },
  ADOPT_LEFT_OUT: {
    summary: 'An object of the export is not part of the new fleet.',
    fix: 'Read the reason; if you agree, no action is needed.',
  },
  ADOPT_NOT_READY: {
    summary: 'Something is in progress, failed or unknown, so it is not safe to move now.',
    fix: 'Finish it with the Cluster Stack Operator first, then export and adopt again.',
  },
} as const
