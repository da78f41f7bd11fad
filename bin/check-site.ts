import { loadEnvFile } from '../src/config/environment.ts'
import { readCheckerConfig } from '../src/config/local-config.ts'
import { readArguments, usage, UsageError, type Arguments } from '../check-site/arguments.ts'
import { askForAddress, listenForCallback } from '../check-site/callback.ts'
import { checkSite, hasFailed } from '../check-site/check-site.ts'
import { asJson, written } from '../check-site/report.ts'

/**
 * `npm run check-site -- https://site.example`: checks a site's requirements (docs/specification.md, "Site side"). Exit
 * code 0 if nothing failed, 1 if something did, 2 if the command line or the environment is invalid, or if a requested
 * sign-in did not happen.
 */
const secondsToSignIn = 300

async function main(): Promise<void> {
  const read = readCommand()
  if (!read) return
  const { options, json, pasted } = read
  const { oauth } = options
  const report = await checkSite({
    ...options,
    oauth: oauth && { ...oauth, authorize: signIn(oauth.redirectUri, pasted) },
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

/** Tells the person what to open on standard error; standard output has only the report. */
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
