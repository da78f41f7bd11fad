import { readCheckerConfig } from '../src/config/local-config.ts'
import { settingsOfRunningStart } from './shared-settings.ts'
import { asksForHelp, readArguments, usage, UsageError, type Arguments } from '../check-site/arguments.ts'
import { askForAddress, listenForCallback } from '../check-site/callback.ts'
import { checkSite, hasFailed, isPartial, type Report } from '../check-site/check-site.ts'
import type { Wish } from '../check-site/options.ts'
import { asJson, written } from '../check-site/report.ts'

/**
 * `npm run check-site -- https://site.example`: checks the requirements for a site (docs/specification.md, "Site
 * side"). Exit code 0 if nothing failed, 1 if something failed (with --strict: or was not checked), 2 if the command
 * line or the environment is invalid, or if a requested sign-in did not happen.
 */
async function main(): Promise<void> {
  if (asksForHelp(process.argv)) return console.log(usage)
  const read = readCommand()
  if (!read) return
  const { options, json, strict } = read
  const { oauth } = options
  const report = await checkSite({
    ...options,
    oauth: oauth && { ...oauth, authorize: signIn(oauth.redirectUri, read) },
  })
  console.log(json ? JSON.stringify(asJson(report), null, 2) : written(report))
  if (report.incomplete !== undefined) console.error(report.incomplete)
  process.exitCode = exitCode(report, strict)
}

function exitCode(report: Report, strict: boolean): number {
  if (hasFailed(report) || (strict && isPartial(report))) return 1
  return report.incomplete === undefined ? 0 : 2
}

function readCommand(): Arguments | undefined {
  try {
    return readArguments(process.argv.slice(2), readCheckerConfig(settingsOfRunningStart()))
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : (error as Error).message)
    process.exitCode = 2
    return undefined
  }
}

const wishes: Record<Wish, string> = {
  allow: 'sign in, and ALLOW access',
  deny: 'sign in, and REFUSE access, because the checker also tests refusal (--no-deny skips this test)',
}

/** Prints the address to open on standard error, because standard output has only the report. */
const signIn =
  (redirectUri: string, { pasted, signInSeconds: seconds }: Arguments) =>
  (url: string, wish: Wish): Promise<string> => {
    const invite = () =>
      console.error(
        `Within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, open this address in a browser, ${wishes[wish]}:\n${url}`,
      )
    if (!pasted) return listenForCallback(redirectUri, seconds, invite)
    invite()
    return askForAddress(seconds)
  }

main().catch((error: unknown) => {
  console.error((error as Error).message)
  process.exitCode = 2
})
