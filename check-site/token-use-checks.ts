import { failedIf, type Check, type Finding } from './check.ts'
import { describe, probe, wrongToken, type Called } from './calls.ts'
import { isSuccess } from './exchange.ts'
import { answeredByTool } from './obstacles.ts'
import { sampleArguments } from './sample-arguments.ts'
import { callTool, readTools, safeBody, type Site } from './site.ts'
import type { SiteTool } from '../src/sites/tool.ts'

/** The requirements for how a tool compares tokens, and where it reads them. */
export const tokenUseChecks: Check[] = [
  {
    id: 'token-in-address',
    requirement: 'A token in the address is not accepted',
    section: 'Bearer tokens; RFC 9700, section 4.3.2',
    fix: 'Read the token from the Authorization header only: addresses end up in logs, histories and Referer headers.',
    needs: ['manifest', 'token', 'read tool'],
    causes: ['no-token'],
    run: async (site) => {
      const tool = readTools(site).find(({ inputSchema }) => sampleArguments(inputSchema)) ?? site.tools[0]
      if (!tool || site.token === undefined) return failedIf([])
      const outcome = await callTool(site, tool.name, { inAddress: site.token, body: safeBody(tool) })
      const call = { name: `${tool.name}?access_token=…&token=…`, outcome }
      return failedIf(
        answeredByTool(site, [call])
          .filter(() => isSuccess(outcome))
          .map(describe),
      )
    },
  },
  {
    id: 'whole-token',
    requirement: 'Tokens are compared as a whole',
    section: 'Bearer tokens',
    fix: 'Look up a hash of the whole token. A request with only the beginning of the token must be refused.',
    needs: ['manifest', 'token', 'tool'],
    causes: ['no-token', 'wrong-token'],
    run: wholeToken,
  },
]

/** The token with another ending, and without its ending. */
function almost(token: string): Record<string, string> {
  const cut = Math.max(token.length - 4, Math.ceil(token.length / 2))
  const ending = token.slice(cut).replaceAll(/./g, (character) => (character === 'x' ? 'y' : 'x'))
  return {
    'With a token whose ending was changed,': `${token.slice(0, cut)}${ending}`,
    'With a token whose ending was removed,': token.slice(0, cut),
  }
}

async function wholeToken(site: Site): Promise<Finding> {
  const tool = readTools(site)[0] ?? site.tools[0]
  if (!tool) return failedIf([])
  const why: string[] = []
  for (const [how, token] of Object.entries(almost(site.token ?? ''))) {
    why.push(...(await accepted(site, tool, token)).map((call) => `${how} ${describe(call)}`))
  }
  return failedIf(why)
}

/** The call if the tool accepts this token as valid. Its response to a wrong token is known. */
export async function accepted(site: Site, tool: SiteTool, token: string): Promise<Called[]> {
  const outcome = await callTool(site, tool.name, { token, body: safeBody(tool) })
  const wrong = (await probe(site, wrongToken)).find(({ name }) => name === tool.name)?.outcome.status
  const refusals = new Set([401, 403, 429, wrong])
  return answeredByTool(site, [{ name: tool.name, outcome }]).filter(() => !refusals.has(outcome.status))
}
