import type { Site } from './site.ts'

/** What came of a check. Each `why` is one place or one tool, in a sentence. */
export type Finding =
  | { result: 'passed' }
  /** `failed` is a breach of docs/specification.md, `warning` something that it only recommends. */
  | { result: 'failed' | 'warning'; why: string[] }
  | { result: 'skipped'; why: string }

/** One duty of a site. */
export interface Check {
  id: string
  /** What is demanded, as a sentence about a site that does it. */
  demands: string
  /** Where it is demanded: a section of docs/specification.md, or an RFC. */
  section: string
  /** How to mend it. */
  mend: string
  /** What must be there for it to be tried, in this order. */
  needs: Need[]
  run: (site: Site) => Promise<Finding> | Finding
}

/** `oauth2` is no matter of trying: a site of another kind does not have these duties. */
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
/** Passed if there is nothing to say. */
export const failedIf = (why: string[]): Finding => (why.length > 0 ? { result: 'failed', why } : passed)
export const warnedIf = (why: string[]): Finding => (why.length > 0 ? { result: 'warning', why } : passed)
