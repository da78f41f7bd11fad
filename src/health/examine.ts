import { failing, isFailing, type Check, type Finding } from './finding.ts'

/** The longest time of one check, in milliseconds. */
const checkMs = 5000

export interface NamedFinding extends Finding {
  name: string
}

/**
 * Makes all checks at once, each within a few seconds, and returns their findings in the order of the checks. One that
 * throws or takes too long is failing, and disturbs no other. A check that needs a failing one is left out.
 */
export async function examine<Context>(checks: readonly Check<Context>[], context: Context): Promise<NamedFinding[]> {
  const findings = await Promise.all(
    checks.map(async (check) => ({ name: check.name, ...(await look(check, context)) })),
  )
  const silent = new Set(findings.filter(isFailing).map(({ name }) => name))
  return findings.filter(({ name }, index) => {
    const isLeftOut = checks[index]!.needs?.some((need) => silent.has(need)) ?? false
    if (isLeftOut) silent.add(name)
    return !isLeftOut
  })
}

async function look<Context>(check: Check<Context>, context: Context): Promise<Finding> {
  const { longestMs = checkMs } = check
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(tooLate(longestMs)), longestMs)
  })
  try {
    return await Promise.race([check.look(context), late])
  } catch (error) {
    return failing(`The check itself failed (${reasonOf(error)}).`, 'Look into the log, and try again.')
  } finally {
    clearTimeout(timer)
  }
}

const tooLate = (ms: number): Finding =>
  failing(`There was no answer within ${ms / 1000} seconds.`, 'Look at the load of this part, and try again.')

/** The code of an error, or its name: messages of drivers may quote addresses with passwords. */
export function reasonOf(error: unknown): string {
  const { code, name, cause } = (error ?? {}) as { code?: unknown; name?: unknown; cause?: unknown }
  if (typeof code === 'string' || typeof code === 'number') return String(code)
  if (cause !== undefined && cause !== null) return reasonOf(cause)
  return typeof name === 'string' ? name : 'unknown'
}
