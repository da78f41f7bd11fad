/**
 * Answers of a token endpoint, as sites and proxies have sent them: ACCESS and REFRESH stand for new tokens. Before a
 * refresh the scopes were `read` and `write`, and so many are asked for at an exchange.
 */
export interface TokenAnswer {
  status?: number
  headers?: Record<string, string>
  body: string
  /** What a refusal has to name; undefined if the answer connects. */
  names?: string
  /** Nothing says whether the refresh token was spent. */
  isUnclear?: true
  /** Names no refresh token: the old one is good still, if there is one. */
  keepsOld?: true
  /** The next refresh token, if it is another text than REFRESH. */
  next?: string
  /** Those that count; as before unless given. `strange`: none that there is. */
  scopes?: string[] | 'strange'
}

const good = '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH"}'

/** The good answer with these JSON texts in place of one member, or beside its others. */
function withEach(member: string, rows: [json: string, expected?: Partial<TokenAnswer>][]): TokenAnswer[] {
  const place = new RegExp(`"${member}":("[^"]*"|\\d+)`)
  return rows.map(([json, expected]) => {
    const text = `"${member}":${json}`
    return { body: place.test(good) ? good.replace(place, () => text) : `${good.slice(0, -1)},${text}}`, ...expected }
  })
}

/** The good answer with these headers. */
const withHeaders = (name: string, ...values: string[]): TokenAnswer[] =>
  values.map((value) => ({ body: good, headers: { [name]: value } }))
export const oddMembers: TokenAnswer[] = [
  ...withEach('access_token', [
    [String.raw`" ACCESS\n"`],
    ['null', { names: 'access_token' }],
    ['""', { names: 'access_token' }],
    ['7', { names: 'access_token' }],
    ['"Bearer ACCESS"'],
    ['"A CCESS"', { names: 'access_token' }],
    ['["ACCESS"]', { names: 'access_token' }],
  ]),
  ...withEach('token_type', [
    ['"bearer"'],
    ['"BEARER"'],
    ['"Bearer "'],
    ['" bearer"'],
    ['null'],
    ['""'],
    ['7'],
    ['"user"'],
    ['"mac"', { names: 'token_type' }],
    ['"DPoP"', { names: 'token_type' }],
    ['"N_A"', { names: 'token_type' }],
    ['["Bearer"]'],
    ['["mac"]', { names: 'token_type' }],
    ['"BearerToken"'],
    ['"Bearer token"'],
    ['"bot"'],
    ['"pop"', { names: 'token_type' }],
  ]),
  ...withEach('refresh_token', [
    ['""', { keepsOld: true }],
    ['" "', { keepsOld: true }],
    ['null', { keepsOld: true }],
    ['7', { keepsOld: true }],
    ['false', { keepsOld: true }],
    ['{}', { keepsOld: true }],
    [String.raw`"\tREFRESH\r\n"`],
    ['"REFRESH "'],
    [String.raw`"REFRESH+/=&%20\"\\~"`, { next: 'REFRESH+/=&%20"\\~' }],
    ['["REFRESH"]', { keepsOld: true }],
    ['"REFRESH of two words"', { next: 'REFRESH of two words' }],
  ]),
  ...withEach('expires_in', [
    ['3600'],
    ['"3600"'],
    ['" 3600 "'],
    ['"3600.0"'],
    ['3599.75'],
    ['0'],
    ['"0"'],
    ['-1'],
    ['"-1"'],
    ['1000000000000'],
    ['"99999999999999999999"'],
    ['9007199254740991'],
    ['"never"'],
    ['""'],
    ['"0x10"'],
    ['"1e3"'],
    ['"3600s"'],
    ['null'],
    ['true'],
    ['[3600]'],
    ['{}'],
    ['3600.0'],
    ['1e400'],
    ['"+60"'],
    ['"NaN"'],
    ['"Infinity"'],
  ]),
  ...withEach('id_token', [
    ['""'],
    ['"x"'],
    ['null'],
    ['7'],
    ['"eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL290aGVyLmV4YW1wbGUiLCJleHAiOjF9."'],
    ['{}'],
  ]),
  ...withEach('scope', [
    ['"read write"'],
    ['"write read"'],
    ['"read"', { scopes: ['read'] }],
    ['"  read   write "'],
    ['"read read write"'],
    [String.raw`"read\nwrite\t"`],
    ['"read,write"'],
    ['"read, write"'],
    ['["read","write"]'],
    ['["read"]', { scopes: ['read'] }],
    ['["read write"]'],
    ['[]'],
    ['""'],
    ['" "'],
    ['","'],
    ['null'],
    ['7'],
    ['true'],
    ['{}'],
    ['"READ WRITE"'],
    ['"https://site.example/auth/read https://site.example/auth/write"', { scopes: 'strange' }],
    ['"read write openid offline_access"'],
    [String.raw`"[\"read\",\"write\"]"`],
    ['"read;write"'],
    ['"read%20write"'],
    ['"read+write"'],
    ['["read",7]', { scopes: ['read'] }],
    ['"none"', { scopes: 'strange' }],
    ['"admin"', { scopes: 'strange' }],
    ['{"read":true}'],
  ]),
]

/** Answers whose form is odd, or that have other members. */
export const oddForms: TokenAnswer[] = [
  { body: '{"token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH"}', names: 'access_token' },
  { body: '{"accessToken":"ACCESS","tokenType":"Bearer","expiresIn":3600,"refreshToken":"REFRESH"}' },
  {
    body: '{"code":0,"message":"ok","data":{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH"}}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","data":{"access_token":"other","refresh_token":"other"},"authed_user":{"id":"U1","access_token":"other"}}',
  },
  { body: '[{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH"}]' },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","access_token":"ACCESS"}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":null,"refresh_token":"REFRESH"}',
  },
  { body: '{"access_token":"ACCESS","expires_in":3600,"refresh_token":"REFRESH"}' },
  { body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"data":{"refresh_token":"REFRESH"}}' },
  { body: '{"refresh_token":"REFRESH","token_type":"Bearer","data":{"access_token":"ACCESS","expires_in":3600}}' },
  {
    body: '{"access_token":"ACCESS","expires_in":3600,"authed_user":{"access_token":"other","refresh_token":"other"}}',
    keepsOld: true,
  },
  { body: '{"access_token":"ACCESS","expires_in":3600,"refreshToken":"REFRESH","Refresh_Token":"REFRESH"}' },
  { body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600}', keepsOld: true },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","refresh_token":"REFRESH","expires_at":"2026-11-25T00:00:00Z"}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","scopes":["read","write"]}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","refresh_expires_in":0,"not-before-policy":0,"session_state":"x"}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","__proto__":{"access_token":"other"},"constructor":null,"toString":1,"user":{"id":1},"list":[[]],"":0}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","error":"","error_description":""}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","error":null,"error_description":null}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","error":false,"error_description":false}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","error":0,"error_description":0}',
  },
  {
    body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH","ok":true,"errcode":0,"errmsg":"ok"}',
  },
  {
    body: '{"error":"bad_refresh_token","error_description":"The refresh token passed is incorrect or expired.","error_uri":"https://site.example/docs"}',
    names: 'bad_refresh_token',
  },
  { body: '{"ok":false,"error":"invalid_refresh_token"}', names: 'invalid_refresh_token' },
  { status: 400, body: '{"error":"invalid_grant"}', names: 'invalid_grant' },
  { status: 201, body: good },
  { status: 202, body: good },
  { status: 203, body: good },
  { status: 206, body: good },
  { headers: { 'www-authenticate': 'Bearer realm="site"' }, body: good },
  { status: 204, body: '', names: '', isUnclear: true },
  { body: '', names: '', isUnclear: true },
  { body: '{"access_token":"ACCESS","token_type":"Bearer","expires_in":', names: '', isUnclear: true },
  {
    headers: { 'content-type': 'text/html' },
    body: '<!DOCTYPE html><html><body>Please wait</body></html>',
    names: '',
    isUnclear: true,
  },
  { body: `\ufeff${good}` },
  { body: '\r\n\n {"access_token":"ACCESS","token_type":"Bearer","expires_in":3600,"refresh_token":"REFRESH"}\n\n' },
  {
    body: '{\n\t"access_token": "ACCESS",\n\t"token_type": "Bearer",\n\t"expires_in": 3600,\n\t"refresh_token": "REFRESH"\n}',
  },
  {
    body: String.raw`{"\u0061ccess_token":"ACCESS","token_type":"\u0042earer","expires_in":3600,"refresh_token":"REFRESH"}`,
  },
  {
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: 'access_token=ACCESS&token_type=bearer&expires_in=3600&refresh_token=REFRESH&scope=read%2Cwrite',
  },
  {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'access_token=ACCESS&token_type=bearer&expires_in=3600&refresh_token=REFRESH&scope=read%2Cwrite',
  },
  {
    headers: { 'content-type': 'text/plain' },
    body: 'access_token=ACCESS&token_type=bearer&expires_in=3600&refresh_token=REFRESH&scope=read%2Cwrite',
  },
  {
    headers: { 'content-type': 'text/html' },
    body: 'access_token=ACCESS&token_type=bearer&expires_in=3600&refresh_token=REFRESH&scope=read%2Cwrite',
  },
  {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'access_token=ACCESS&token_type=bearer&expires_in=3600&refresh_token=REFRESH&scope=read+write&error=&id_token=',
  },
  {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'error=bad_verification_code&error_description=The+code+is+incorrect',
    names: 'bad_verification_code',
  },
  { body: `"${good.replaceAll('"', '\\"')}"` },
  { body: `${good.slice(0, -1)},"deep":${'['.repeat(200)}${']'.repeat(200)}}` },
  { body: '{"Access-Token":"ACCESS","refreshToken":"REFRESH","scopes":"read,write"}' },
  { body: '{"ok":true,"authed_user":{"access_token":"ACCESS","refresh_token":"REFRESH","token_type":"user"}}' },
  { body: '<OAuth><access_token>ACCESS</access_token></OAuth>', names: 'XML', isUnclear: true },
  ...withHeaders(
    'content-type',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'APPLICATION/JSON',
    'application/json, application/json',
    'text/json',
    'text/javascript; charset=UTF-8',
    'text/plain',
    'text/html; charset=utf-8',
    'application/vnd.api+json',
    'application/jwt',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'json',
    '',
  ),
  ...withHeaders('content-encoding', 'gzip', 'GZIP', 'x-gzip', 'identity'),
]
