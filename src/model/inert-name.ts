const NAMES =
  /^(?:.*\.(?:md|txt)|README|LICENSE|OWNERS|CODEOWNERS|\.gitignore|\.gitattributes|\.gitkeep|\.keep|\.DS_Store)$/

/** True for names of files for people and for git: no GitOps tool applies them, or takes settings from them. */
export function isInertName(name: string): boolean {
  return NAMES.test(name)
}
