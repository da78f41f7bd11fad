import type { Site } from './site.ts'

/** The result of a check. Each `why` is one sentence about one problem. */
export type Finding =
  | { result: 'passed' }
  /**
   * `failed` violates docs/specification.md, `warning` one of its recommendations. `fix` overrides that of the check.
   */
  | { result: 'failed' | 'warning'; why: string[]; fix?: string }
  /** The check is possible, but was not made: the reason, and how to make it. */
  | { result: 'skipped'; why: string; how: string }
  /** The requirement does not apply to this site. */
  | { result: 'absent'; why: string }

/** One requirement for a site. */
export interface Check {
  id: string
  /** The requirement, as a sentence about a site that meets it. */
  requirement: string
  /** Its source: a section of docs/specification.md, or an RFC. */
  section: string
  fix: string
  /** What the check needs, in this order. */
  needs: Need[]
  /** Earlier checks whose failure causes this one to fail, too. Then only they are reported. */
  causes?: string[]
  run: (site: Site) => Promise<Finding> | Finding
}

/** `oauth2` is not a prerequisite: other sites do not have these requirements. */
export type Need =
  | 'manifest'
  | 'tool'
  | 'token'
  | 'limited token'
  | 'read tool'
  | 'oauth2'
  | 'client'
  | 'grant'
  | 'refresh'

export const passed: Finding = { result: 'passed' }
export const skipped = (why: string, how: string): Finding => ({ result: 'skipped', why, how })
export const absent = (why: string): Finding => ({ result: 'absent', why })
/** Passed if there are no problems. */
export const failedIf = (why: string[], fix?: string): Finding =>
  why.length > 0 ? { result: 'failed', why, ...(fix !== undefined && { fix }) } : passed
export const warnedIf = (why: string[]): Finding => (why.length > 0 ? { result: 'warning', why } : passed)

/** Another check has already found the cause. */
export const blocked = (id: string): Finding =>
  skipped(`[${id}] must be fixed first.`, 'Fix it, and run the checker again.')

/** The result of every check after the manifest. */
export const withoutManifest = skipped('There is no usable manifest.', 'Fix what failed above, and check again.')
export const withoutArguments = skipped(
  'No valid arguments could be generated.',
  'Add examples to the schemas of the tools.',
)
export const toolsSilent = skipped('The tools do not answer.', 'Fix what failed above, and check again.')
