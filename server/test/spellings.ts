// Tables of hostile spellings: internal addresses, redirect URIs, types of bodies and paths, each to be refused.

/** Each names an address inside a network, or one that leads to nobody. */
export const INTERNAL_URLS: readonly string[] = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '127.0.0.1.', '0', '0.0.0.0', '0.1.2.3'],
  ...['2130706433', '017700000001', '0x7f000001', '0x7f.1', '0X7F.0.0.1', '0177.0.0.1', '0177.1'],
  ...['127.0.0.0x1', '%31%32%37.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '１２７.0.0.1'],
  ...['10.1.2.3', '10.257', '167772161', '172.16.0.1', '172.31.255.255', '192.168.1.1:8080'],
  ...['3232235777', '0xc0.0xa8.1.1', '100.64.0.1', '100.127.255.254', '169.254.169.254'],
  ...['2852039166', '0xA9FEA9FE', '169.254.43518', '192.0.0.1', '192.0.2.1', '192.88.99.1'],
  ...['168.63.129.16', '2822734096', '0xA83F8110', '[::ffff:168.63.129.16]'],
  ...['198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::7f00:1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]', '[2001:db8::1]', '[100::1]'],
  ...['[fc00::1]', '[fd12::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[4000::1]'],
].map(host => `http://${host}/`)

/** None of them may be registered: no plain form, no https, or not the host it seems. */
export const REDIRECT_URIS: readonly string[] = [
  ...[
    '',
    ' ',
    '/callback',
    '//evil.test/cb',
    'evil.test/cb',
    'https:',
    'https://',
    'https:/a.test/cb',
  ],
  ...['https:a.test/cb', 'https:///a.test/cb', 'HTTPS://a.test/cb', 'https://A.test/cb'],
  ...['https://a.test:443/cb', 'https://a.test:99999/cb', 'https://a.test/x/../cb'],
  ...[
    'https://a.test/./cb',
    'https://a.test/%2e%2e/cb',
    'https://a.test/c b',
    'https://a.test/cb\n',
  ],
  ...['\thttps://a.test/cb', 'https://a.test/cb\0', 'https://a.test/cb#x', 'https://a.test/cb#'],
  ...[
    'https://u@a.test/cb',
    'https://u:p@a.test/cb',
    'https://@a.test/cb',
    'https://a.test@b.test/',
  ],
  ...[
    'https://a.test\\@b.test/',
    'https:\\\\a.test\\cb',
    'https://a.test%40b.test/',
    'https://*.test/cb',
  ],
  ...[
    'https://аpp.test/cb',
    'https://a。test/cb',
    'https://[::1/cb',
    `https://a.test/${'x'.repeat(2000)}`,
  ],
  ...[
    'http://a.test/cb',
    'http://localhost.b.test/',
    'http://127.0.0.1.b.test/',
    'http://127.1/cb',
  ],
  ...['http://2130706433/cb', 'http://0x7f.1/cb', 'http://127.0.0.2/cb', 'http://0.0.0.0/cb'],
  ...['http://127.1/', 'http://127.1', 'http://0x7f.1/', 'https://A.test', 'https://A.test?x'],
  ...[
    'http://LOCALHOST/cb',
    'http://localhost./cb',
    'http://[::ffff:127.0.0.1]/cb',
    'http://10.0.0.1/',
  ],
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/hosts',
  ],
  ...[
    'blob:https://a.test/1',
    'ftp://a.test/',
    'ws://a.test/',
    'about:blank',
    'urn:ietf:wg:oauth:2.0:oob',
  ],
  ...['com.app:/cb', 'myapp://cb', 'view-source:https://a.test/', 'intent://a.test/#Intent;end'],
]

/** They turn the direction of what follows, whatever its letters. */
export const MARKS: readonly string[] = [
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
]

/** They break a line, drive a terminal, or are seen by nobody. */
export const UNSEEN: readonly string[] = [
  ...['\u001b', '\n', '\u0085', '\u2028', '\u00ad', '\u034f', '\u061c', '\u115f', '\u180e'],
  ...['\u200b', '\u200e', '\u200f', '\u2060', '\u2064', '\u3164', '\ufeff', '\uffa0', '\ufffb'],
  ...['\u{1bca0}', '\u{e0001}', '\u{e0041}'],
]

/** Seen by what they do to the letter before: some scripts, some names and emoji are written with them. */
export const JOINING: readonly string[] = ['\u200c', '\u200d', '\ufe0f', '\u{e0100}']

/** As people write: none of them is refused as a name. */
export const NAMES: readonly string[] = [
  ...[
    'Zoë Ægir-Ðóttir',
    'Nguyễn Thị Ánh',
    'Ελένη Παππά',
    'Жанна О’Нил',
    'بتول العتيبي',
    'יעל בן־דוד',
  ],
  ...[
    'نرم\u200cافزار',
    'क्\u200dष',
    '葛\u{e0100}城 智子',
    '김민준',
    'ナタリー',
    '⚠\ufe0f Alert 👩\u200d💻',
  ],
]

/** JSON is `application/json`, in UTF-8 where it says so; whatever else a body is called is not read. */
export const BODY_TYPES: readonly string[] = [
  ...['text/plain', 'text/json', 'text/html', 'text/xml', 'text/javascript', 'application/xml'],
  ...['application/javascript', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  ...['multipart/form-data; boundary=x', 'application/octet-stream', 'application/jsonp'],
  ...['application/json5', 'application/x-json', 'application/ld+json', 'application/vnd.api+json'],
  ...['application/json-patch+json', 'application/merge-patch+json', 'application/problem+json'],
  ...['application/x-ndjson', 'application/jsonl', 'application/cbor', 'application/msgpack'],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json;charset=utf-7',
  ],
  ...[
    'application/json; charset="utf-16le"',
    'application/json, text/plain',
    'application/json text/plain',
  ],
  ...['json', 'application', 'application/', '/json', '*/*', 'application/*', 'application /json'],
]

/** None of them is a path of the API, a page or a file of the dashboard. */
export const PATHS: readonly string[] = [
  ...[
    '//v1',
    '//v1/employees',
    '///v1/employees',
    '/v1//employees',
    '/v1/employees/',
    '/v1/',
    '/V1',
  ],
  ...['/V1/employees', '/v1/Employees', '/v1/./employees', '/v1/.', '/v1/..', '/./v1/employees'],
  ...['/v1/../v1/employees', '/x/../v1/employees', '/%76%31/employees/', '/v1%2femployees'],
  ...[
    '/v1/%2e/employees',
    '/v1/%2e%2e/v1/employees',
    '/v1\\employees',
    '/\\v1/employees',
    '/v1;/employees',
  ],
  ...[
    '/v1/employees;x=1',
    '/v1/employees%20',
    '/v1/employees%00',
    '/v1/employees%0a',
    '/v1/employees.json',
  ],
  ...[
    '/v1./employees',
    '/v1/employees/..',
    '/v2/employees',
    '/v01/employees',
    '/ｖ1/employees',
  ].map(encodeURI),
  ...[
    '//admin/keys',
    '/ADMIN/keys',
    '/Admin/keys',
    '/admin/./keys',
    '/admin//keys',
    '//oauth/token',
  ],
  ...[
    '/OAuth/authorize',
    '/oauth//authorize',
    '/.well-known',
    '/.well-known/../v1/me',
    '//docs',
    '/docs/../x',
  ],
  ...[
    '/assets',
    '/assets/',
    '/assets/../index.html',
    '/assets/../../package.json',
    '/assets/..%2findex.html',
  ],
  ...[
    '/assets/%2e%2e/index.html',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..%5cindex.html',
  ],
  ...[
    '/assets/..\\index.html',
    '/assets/....//index.html',
    '/assets/..;/index.html',
    '/assets/%252e%252e/index.html',
  ],
  ...['/assets/..%c0%afindex.html', '/assets/%00', '/assets/index.html%00.js', '//assets/index.js'],
  ...[
    '/index.html',
    '/sources.sha256',
    '/package.json',
    '/.env',
    '/.git/config',
    '/server/src/main.ts',
  ],
  ...[
    '/etc/passwd.txt',
    '/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
  ],
  ...[
    '/favicon.svg/',
    '/favicon.svg/..',
    '//favicon.svg',
    '/FAVICON.SVG',
    '/data/secret.key',
    '/robots.txt',
  ],
]
