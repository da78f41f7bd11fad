import type { Form } from '../forms/form.ts'

/**
 * The outcome of one attempt. `certain`: the site certainly did nothing, so any tool can be called again. Only a
 * refusal by the site (401, 403, 429) or a connection that was never made proves that.
 */
export type CallOutcome =
  | { kind: 'succeeded'; httpStatus: number; text: string }
  /**
   * The site wants to know something from a person before it ends the call. `state`: what the request that continues the
   * call has to carry, for its adapter alone.
   */
  | { kind: 'asks'; httpStatus: number; certain: false; text: string; form: Form; state: string }
  /**
   * The site has accepted the call and works on it. `job`: what a request about that has to carry, for its adapter alone.
   * `text`: what the site says about its progress, or nothing. `askAfter`: when it wants to be asked, in seconds.
   */
  | { kind: 'accepted'; httpStatus: number; certain: false; text: string; job: string; askAfter?: number | undefined }
  /** The site ran the call, as its 2xx says (RFC 9110, 15.3), but its answer is not a readable JSON object. */
  | { kind: 'unread'; httpStatus: number; text: string }
  /** `wanted`: the scopes that the site asks for. */
  | {
      kind: 'refused'
      httpStatus: 401 | 403 | 429
      certain: true
      text: string
      retryAfter?: number
      wanted?: readonly string[]
    }
  /** `listIsStale`: the site does not know the tool, so its list has changed. */
  | { kind: 'rejected'; httpStatus: number; certain: false; text: string; listIsStale?: true }
  /**
   * `retryAfter`: the pause that the site requested, in seconds. `isJobOver`: the site will never say more about what it
   * worked on.
   */
  | {
      kind: 'broken'
      httpStatus: number | null
      certain: false
      text: string
      retryAfter?: number
      isJobOver?: true
    }
  /** `permanent`: a retry would have the same outcome. */
  | { kind: 'unavailable'; httpStatus: null; certain: boolean; text: string; permanent?: true }
