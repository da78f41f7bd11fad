import { ConfigError, present, type Environment } from './environment.ts'

/** Settings that an earlier release had, and what to do in their place. */
const gone: Record<string, string> = {
  ADMIN_EMAILS:
    'is no setting any more: remove it, and make each admin with "npm run admin -- <address>", which is remembered in the database',
}

/** Refuses settings that would have no effect, but were meant to. Throws a ConfigError that says what to do instead. */
export function refuseGone(env?: Environment): void {
  const problems = Object.keys(present(env)).flatMap((name) => (name in gone ? [`${name} ${gone[name]}`] : []))
  if (problems.length > 0) throw new ConfigError(problems)
}
