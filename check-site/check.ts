import type { Site } from './site.ts'

/** The result of a check. Each `why` is one sentence about one problem. */
export type Finding =
  | { result: 'passed' }
  /** `failed` violates docs/specification.md, `warning` one of its recommendations. */
  | { result: 'failed' | 'warning'; why: string[] }
  | { result: 'skipped'; why: string }

/** One requirement for a site. */
export interface Check {
  id: string
  /** The requirement, as a sentence about a site that meets it. */
  requirement: string
  /** Its source: a section of docs/specification.md, or an RFC. */
  section: string
  /** How to fix a violation. */
  fix: string
  /** What the check needs, in this order. */
  needs: Need[]
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
export const skipped = (why: string): Finding => ({ result: 'skipped', why })
/** Passed if there are no problems. */
export const failedIf = (why: string[]): Finding => (why.length > 0 ? { result: 'failed', why } : passed)
export const warnedIf = (why: string[]): Finding => (why.length > 0 ? { result: 'warning', why } : passed)
