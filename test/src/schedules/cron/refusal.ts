import { isCoded } from '../../../../src/errors.ts'

/** The sentence with which something is refused; its only detail must say the same, at the path. */
export function refusal(path: string, attempt: () => unknown): string {
  try {
    attempt()
    return 'accepted'
  } catch (error) {
    if (!isCoded(error, 'VALIDATION_ERROR')) throw error
    const [detail, ...more] = error.details ?? []
    const isWhole = detail?.path === path && detail.message === error.message && more.length === 0
    return isWhole ? error.message : 'refused in another way'
  }
}
