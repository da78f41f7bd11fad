import test, { type ExecutionContext } from 'ava'
import * as oauth from '../../api/oauth.ts'
import * as workspaces from '../../api/workspaces.ts'
import { Agent } from '../../src/agents/agent.ts'
import { notifyFailed } from '../../src/callbacks/notify-failed.ts'
import { cleanName, withoutHidden } from '../../src/names.ts'
import { Notification } from '../../src/notifications/notification.ts'
import { notifyFailing } from '../../src/runs/ending/notify-failing.ts'
import { notifyPaused } from '../../src/runs/notify-outage.ts'
import { notifyOutOfCredits } from '../../src/runs/queue/notify-blocked.ts'
import { Run } from '../../src/runs/run.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { createMarkNeedsReauth } from '../../src/vault/reauthorization.ts'
import { invitationMail } from '../../src/workspaces/invitation-mail.ts'
import { call } from '../helpers/client.ts'
import { comeBack } from '../helpers/connect.ts'
import { oddNames } from '../helpers/odd-names.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { memberOf, userIdOf, verify, workspaceOf } from '../helpers/workspaces.ts'
import { openOAuthStage, type OAuthStage } from './oauth-stage.ts'

/** What one person writes and another reads in the platform's own words. */

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

async function open(t: ExecutionContext) {
  const stage = await openOAuthStage(t, { RATE_LIMIT_BROWSER_PER_MINUTE: '1000' })
  const owner = await customer(stage.platform, 'team')
  await verify(stage.platform, owner)
  const { id: workspaceId } = await workspaceOf(owner)
  return { ...stage, owner, workspaceId }
}

/** The page that a browser shows for the address, and its paragraphs as a person reads them. */
async function pageOf({ platform }: Pick<OAuthStage, 'platform'>, connectUrl: string) {
  const page = await (await comeBack(platform, connectUrl, '', html)).text()
  const [body = ''] = /<main>.*<\/main>/s.exec(page) ?? []
  return {
    page,
    texts: body
      .split('\n')
      .map(plain)
      .filter((text) => text !== ''),
  }
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const plain = (line: string): string =>
  line
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (whole, name: string) => entities[name] ?? whole)
    .trim()

/** A text of the platform that quotes one name: it is one line, the quotation ends where it says, and nothing is a link. */
function assertHarmless(t: ExecutionContext, text: string, own: readonly string[] = []) {
  const rest = own.reduce((left, part) => left.replaceAll(part, ''), text)
  t.is(withoutHidden(text), text)
  t.false(/[\r\n\u2028\u2029\u0085]/.test(text), text)
  t.is(rest.split('“').length, 2, text)
  t.is(rest.split('”').length, 2, text)
  t.false(/[:：][/\\]*[^\s/\\]|\p{L}[.．｡。]\p{L}{2}|(?<!\[)@\S/iu.test(quotedIn(rest)), text)
}

const quotedIn = (text: string): string => /“(.*)”/s.exec(text)?.[1] ?? ''

test('an odd name is taken in its one spelling, or refused by name and character, and nothing is kept of it', async (t) => {
  const { owner } = await open(t)
  const { body } = await call(owner, workspaces.createWorkspace, { body: { name: 'Support' } })
  const params = { workspaceId: body.id }
  for (const { name, isLegal } of oddNames.filter((_, index) => index % 6 === 0)) {
    const { name: before } = (await call(owner, workspaces.getWorkspace, { params })).body
    const answer = await call(owner, workspaces.updateWorkspace, { params, body: { name } })
    const { name: after } = (await call(owner, workspaces.getWorkspace, { params })).body
    if (isLegal) t.is(answer.status, 200, name)
    if (answer.status === 200) t.is(after, cleanName(name))
    else t.like(answer.failure, { code: 'VALIDATION_ERROR', details: [{ path: 'name' }] })
    if (answer.status !== 200) t.is(after, before)
  }
})

test('no name makes a page, a mail or a notification say anything but what the platform says', async (t) => {
  const stage = await open(t)
  const { platform, site, owner, workspaceId } = stage
  const { database, clock, notifications } = platform.services
  const { body: flow } = await call(owner, oauth.startOAuth, { body: { url: site.origin, workspaceId } })
  const agent = await agentOf(owner)
  const run = await Run.query(database)
    .findById((await start(owner, agent)).body.id)
    .throwIfNotFound()
  const { agentId, ownerId } = run
  const block = { since: clock.now(), last: clock.now(), cap: null }
  const failed = { failure: 'It was refused.', now: clock.now() }
  const markNeedsReauth = createMarkNeedsReauth({ clock, notifications })
  for (const { name } of oddNames.filter(({ name }, index) => index % 3 === 0 && !name.includes('\0'))) {
    // As if it had been stored: what is shown does not rely on what was checked.
    await database('workspaces').where({ id: workspaceId }).update({ name: name.toWellFormed() })
    const { page, texts } = await pageOf(stage, flow.connectUrl)
    t.false(/<(?:script|img|svg|a (?!class="action" href="\/vault\/oauth\/go\?))/i.test(page), name)
    const owned = texts.find((text) => text.includes('the workspace')) ?? ''
    assertHarmless(t, owned)
    t.true(owned.includes(`” of ${owner.email}. Agents that use this vault can then do`), owned)

    const invitation = { email: 'ada@example.com', expiresAt: clock.now() }
    const { baseUrl } = platform.config.http
    const mail = invitationMail(invitation, { workspace: name, inviter: owner.email, token: 'a-token', baseUrl })
    const [sentence = '', ...others] = mail.text.split('\n\n')
    t.is(others.length, 5)
    t.regex(
      sentence.replace(baseUrl, ''),
      /^\S+@example\.com has invited you to (?:a workspace|the workspace “[^“”:@/\\]*”) at \.$/,
    )

    const trx = await database.transaction()
    await Agent.query(trx).findById(agent.id).patch({ name: name.toWellFormed() })
    await notifyFailing(trx, notifications, run, 'It failed.')
    await notifyPaused(trx, notifications, run, 'It failed.')
    await notifyOutOfCredits(trx, notifications, run, block)
    await notifyFailed(trx, notifications, { id: run.id, agentId, ownerId, runId: run.id }, failed)
    const entry = VaultEntry.fromJson(
      { id: run.id, ownerId, name, origin: site.origin, generation: 1, authType: 'oauth2' },
      { skipValidation: true },
    )
    await markNeedsReauth(trx, entry, 'It is over.')
    const told = await Notification.query(trx).where({ ownerId: run.ownerId })
    await trx.rollback()
    t.is(told.length, 5)
    for (const { kind, title, message } of told) {
      assertHarmless(t, title)
      if (kind !== 'credential_dead') assertHarmless(t, message)
    }
  }
})

test('a workspace that is named like an account never passes for one, and a member who asks is named, too', async (t) => {
  const stage = await open(t)
  const { platform, site, owner } = stage
  const { id: workspaceId } = await workspaceOf(owner, 'ada@victim.example')
  const { body } = await call(owner, oauth.startOAuth, { body: { url: site.origin, workspaceId } })
  const { texts } = await pageOf(stage, body.connectUrl)
  t.true(
    texts.includes(
      `${site.origin} will be connected to the vault of the workspace “ada[@]victim[.]example” of ${owner.email}. Agents that use this vault can then do the following at the site on your behalf: search and read, create and change things.`,
    ),
    texts.join('\n'),
  )
  const member = await memberOf(platform, workspaceId, 'member')
  const asked = await call(member, oauth.startOAuth, { body: { url: site.origin, workspaceId } })
  const unverified = await pageOf(stage, asked.body.connectUrl)
  const id = await userIdOf(member)
  t.true(
    unverified.texts.some((text) =>
      text.startsWith(`This connection was requested by the account ${id}, whose email address is not verified.`),
    ),
  )
  t.false(unverified.page.includes(member.email))
})

test('an account whose address is not verified is not named by it: the reader may have that address', async (t) => {
  const stage = await open(t)
  const { platform, site, someone } = stage
  const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const { page, texts } = await pageOf(stage, body.connectUrl)
  const id = await userIdOf(someone)
  t.true(texts.some((text) => text.includes(`to the vault of the account ${id}, whose email address is not verified.`)))
  t.false(page.includes(someone.email))
  await verify(platform, someone)
  t.true(
    (await pageOf(stage, body.connectUrl)).texts.some((text) =>
      text.includes(`to the vault of the account ${someone.email}.`),
    ),
  )
})
