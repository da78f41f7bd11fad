import { loadEnvFile } from '../src/config/environment.ts'
import { readCheckerConfig } from '../src/config/local-config.ts'
import { readArguments, usage, UsageError, type Arguments } from '../check-site/arguments.ts'
import { askForAddress, listenForCallback } from '../check-site/callback.ts'
import { checkSite, hasFailed } from '../check-site/check-site.ts'
import { asJson, written } from '../check-site/report.ts'

/**
 * `npm run check-site -- https://site.example`: whether a site does its duties (docs/specification.md, "Site side").
 * Exits with 0 if nothing failed, with 1 if something did, with 2 if the command line or the environment cannot be
 * used, or nobody signed in although that was asked for.
 */
const secondsToSignIn = 300

async function main(): Promise<void> {
  const read = readCommand()
  if (!read) return
  const { options, json, pasted } = read
  const { oauth } = options
  const report = await checkSite({
    ...options,
    oauth: oauth && { ...oauth, authorise: signIn(oauth.redirectUri, pasted) },
  })
  console.log(json ? JSON.stringify(asJson(report), null, 2) : written(report))
  if (report.incomplete !== undefined) console.error(report.incomplete)
  process.exitCode = hasFailed(report) ? 1 : report.incomplete === undefined ? 0 : 2
}

function readCommand(): Arguments | undefined {
  try {
    loadEnvFile()
    return readArguments(process.argv.slice(2), readCheckerConfig())
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n\n${usage}` : (error as Error).message)
    process.exitCode = 2
    return undefined
  }
}

/** Tells the person on standard error what to open, so that the report alone is on standard output. */
const signIn =
  (redirectUri: string, pasted: boolean) =>
  (url: string): Promise<string> => {
    const invite = () => console.error(`Open this address in a browser, sign in and consent:\n${url}`)
    if (!pasted) return listenForCallback(redirectUri, secondsToSignIn, invite)
    invite()
    return askForAddress()
  }

main().catch((error: unknown) => {
  console.error((error as Error).message)
  process.exitCode = 2
})
