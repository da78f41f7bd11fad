import { randomBytes } from 'node:crypto'
import type { Context } from 'koa'
import { SiteError } from './site-error.ts'
import { isRole, permissions, type Role, type Tokens } from './tokens.ts'

const year = 365 * 24 * 60 * 60

/**
 * The pages where users generate and revoke tokens. A real site requires a login here. The example trusts the name
 * that a user enters, so it belongs only on your own machine.
 */
export function createSettings(tokens: Tokens) {
  return {
    showPage: (ctx: Context): void => {
      const nonce = randomBytes(16).toString('base64')
      ctx.set('Content-Security-Policy', `default-src 'none'; connect-src 'self'; script-src 'nonce-${nonce}'`)
      ctx.type = 'html'
      ctx.body = page(nonce)
    },
    listTokens: (ctx: Context): void => {
      const described = tokens.list().map(({ id, user, expires }) => ({ id, ...user, expires: new Date(expires) }))
      ctx.body = { tokens: described }
    },
    createToken: (ctx: Context): void => {
      const { user, role, seconds } = parseTokenRequest(members(ctx))
      ctx.set('Cache-Control', 'no-store')
      ctx.status = 201
      ctx.body = tokens.create(user, role, seconds)
    },
    /** `{ token }`, or `{ id }` for a token whose text is lost. */
    revokeToken: (ctx: Context): void => {
      const { token, id } = members(ctx)
      const named = token ?? id
      if (typeof named !== 'string') throw new SiteError(400, 'Say which token to revoke: "token" or "id".')
      if (!tokens.revoke(named)) throw new SiteError(404, 'There is no such token.')
      ctx.body = { revoked: true }
    },
  }
}

function members(ctx: Context): Record<string, unknown> {
  const body: unknown = ctx.request.body
  if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  throw new SiteError(400, 'The body must be a JSON object, sent as application/json.')
}

function parseTokenRequest({ user, role, seconds }: Record<string, unknown>): {
  user: string
  role?: Role
  seconds?: number
} {
  if (typeof user !== 'string' || !/^[\w.@-]{1,64}$/.test(user)) {
    throw new SiteError(400, '"user" must be a name of 1 to 64 letters, digits, dots, dashes, underscores or @.')
  }
  if (role !== undefined && !isRole(role)) {
    throw new SiteError(400, `"role" must be one of ${Object.keys(permissions).join(', ')}.`)
  }
  if (seconds !== undefined && !(typeof seconds === 'number' && seconds >= 1 && seconds <= year)) {
    throw new SiteError(400, '"seconds" must be a number from 1 to 31536000 (a year).')
  }
  return { user, ...(role !== undefined && { role }), ...(seconds !== undefined && { seconds }) }
}

/** The page inserts text only as text, never as markup. */
const page = (nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Settings of the example issue tracker</title>
<h1>Your tokens</h1>
<form>
  <label>User <input name="user" required value="kim"></label>
  <label>May <select name="role">${Object.entries(permissions)
    .map(([role, scopes]) => `<option value="${role}"${role === 'editor' ? ' selected' : ''}>${scopes.join(', ')}`)
    .join('')}</select></label>
  <button>Create a token</button>
</form>
<p role="status"></p>
<ul></ul>
<script type="module" nonce="${nonce}">
const [form, status, list] = ['form', 'p', 'ul'].map((name) => document.querySelector(name))
const send = async (method, body) => {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch('/settings/tokens', { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return answer.json()
}
async function show() {
  const { tokens } = await send('GET')
  list.replaceChildren(...tokens.map(({ id, name, role, expires }) => {
    const item = document.createElement('li')
    const button = document.createElement('button')
    button.textContent = 'Revoke'
    button.onclick = async () => { await send('DELETE', { id }); await show() }
    item.append(name + ', ' + role + ', until ' + expires.slice(0, 10) + ' ', button)
    return item
  }))
}
form.onsubmit = async (event) => {
  event.preventDefault()
  const { token, error } = await send('POST', Object.fromEntries(new FormData(form)))
  status.textContent = error ?? 'Copy it now, it is not shown again: ' + token
  await show()
}
await show()
</script>
</html>
`
