const unicode = (sign: string) =>
  `\\u${sign
    .charCodeAt(sign.length - 1)
    .toString(16)
    .padStart(4, '0')}`
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** Everything that a secret is found as, whatever stands around it. */
export function keptSpellings(secret: string): Record<string, string> {
  const [json, url, bytes] = [inJson(secret), encodeURIComponent(secret), Buffer.from(secret)]
  return {
    'as it is': secret,
    'in JSON': json,
    'in JSON of PHP, with slashes escaped': json.replaceAll('/', '\\/'),
    'in JSON of Go, for HTML': json.replaceAll(/[&<>]/g, unicode),
    'in JSON of .NET': json.replaceAll(/\\"|[&'+<>`]/g, (sign) => `\\u${unicode(sign).slice(2).toUpperCase()}`),
    'in a URL': url,
    'in a URL, in small letters': url.replaceAll(/%../g, (code) => code.toLowerCase()),
    'in a URL as a whole': encodeURI(secret),
    'in a URL of Python': url.replaceAll('%2F', '/').replaceAll('*', '%2A').replaceAll('!', '%21'),
    'in a URL of PHP': url.replaceAll('*', '%2A').replaceAll('!', '%21'),
    'in a form of PHP': url.replaceAll('*', '%2A').replaceAll('!', '%21').replaceAll('~', '%7E').replaceAll('%20', '+'),
    'in a path of Go': url
      .replaceAll(/%(?:24|26|2B|3D|3A|40)/g, decodeURIComponent)
      .replaceAll('*', '%2A')
      .replaceAll('!', '%21'),
    'in a form': new URLSearchParams({ a: secret }).toString().slice(2),
    'in base64': bytes.toString('base64'),
    'in base64, after one byte': Buffer.from(`.${secret}.`).toString('base64'),
    'in base64, after two bytes': Buffer.from(`u:${secret}, and`).toString('base64'),
    'in base64url': bytes.toString('base64url'),
    'in base64url, after one byte': Buffer.from(`.${secret}.`).toString('base64url'),
    'in base64url, after two bytes': Buffer.from(`u:${secret}, and`).toString('base64url'),
    'in hex': bytes.toString('hex'),
    'in capital hex': bytes.toString('hex').toUpperCase(),
  }
}

/** What is not found: no program writes a secret so unless somebody tells it to. */
export function givenUpSpellings(secret: string): Record<string, string> {
  const [json, url, bytes] = [inJson(secret), encodeURIComponent(secret), Buffer.from(secret)]
  const pairs = (between: string): string => (bytes.toString('hex').match(/../g) ?? []).join(between)
  const each = (write: (code: number, sign: string) => string, between = ''): string =>
    Array.from(secret, (sign) => write(sign.charCodeAt(0), sign)).join(between)
  return {
    'in a URL, twice': encodeURIComponent(url),
    'in a URL, every byte': `%${pairs('%')}`,
    'in JSON, every sign': each((_, sign) => unicode(sign)),
    'in JSON in JSON': JSON.stringify(json).slice(1, -1),
    'in HTML': secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    'in HTML as numbers': each((code) => `&#${code};`),
    'in Markdown': secret.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'),
    'in quoted-printable': secret.replaceAll('=', '=3D').replaceAll('~', '=7E'),
    'in base64 of UTF-16': Buffer.from(secret, 'utf16le').toString('base64'),
    'in base64 of base64': Buffer.from(bytes.toString('base64')).toString('base64'),
    'in base64 of JSON that escapes': Buffer.from(json.replaceAll('/', '\\/')).toString('base64'),
    'in base64 in a URL': encodeURIComponent(bytes.toString('base64')),
    'in base64 in lines': bytes.toString('base64').replaceAll(/.{20}/g, '$&\n'),
    'in hex with colons': pairs(':'),
    'as escapes of bytes': `\\x${pairs('\\x')}`,
    'as octal escapes': each((code) => `\\${code.toString(8).padStart(3, '0')}`),
    'as a list of bytes': each(String, ', '),
    backwards: Array.from(secret).toReversed().join(''),
    'in rot13': secret.replaceAll(/[a-m]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + 13)),
    'with zero-width characters': each((_, sign) => sign, '\u200B'),
    'with spaces': each((_, sign) => sign, ' '),
    'in lines': secret.replaceAll(/.{5}/g, '$&\r\n'),
    'as tag characters': each((code) => String.fromCodePoint(0xe0000 + code)),
  }
}
