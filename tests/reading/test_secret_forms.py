"""The forms in which logs were seen to hold secrets, each with a made secret; and what only looks like one."""

import pytest

from replay.reading.secrets import hidden_lines, hidden_text
from replay.reading.texts import lines_of
from tests.each import for_each

SECRET = "Zq7xKpLm2vRt9w"
HEX = "0123456789abcdef0123456789abcdef"

FORMS = """
ssl.truststore.password          =          @
listener.name.internal.ssl.key.password=@
producer.override.sasl.jaas.config=org.x.PlainLoginModule required username="u" password="@";
plain sasl.password := @
sasl.password => @
keystorePassword -> @
{ssl.keystore.password: @}
{'ssl.keystore.password': '@'}
{"sasl.password"   :   "@", "offset": 5}
{\\"ssl.key.password\\": \\"@\\"}
password="@ and more words"
password='it\\'s @'
password={@}
password=[@]
password=(@)
ssl.key.password = three little @
db.password = a, b, @
--truststore-password @
--password=@
-keypass @
-storepass @ -alias x
kafka-configs --add-config SCRAM-SHA-512=[iterations=8192,password=@]
curl --user admin:@ https://h:8083/connectors
curl -k -u 'admin:@' https://h
mysqldump -u root -p@ db
openssl rsa -passin pass:@ -in k.pem
-Djavax.net.ssl.trustStorePassword=@
-Dzookeeper.DigestAuthenticationProvider.superDigest=super:@
zookeeper.digest.superDigest = super:@
user_admin="@"
   user_bob="@" \\
Authorization: Basic @
authorization=Bearer @
"Authorization": "Token @"
Proxy-Authorization: Negotiate @
Authorization: Digest username="u", realm="r", nonce="n", response="@"
Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/eu/s3/aws4_request, Signature=@
Cookie: a=b; session=@
Set-Cookie: token=@; Secure
X-Vault-Token: @
X-Auth-Token: @
x-amz-security-token: @
https://h/b?X-Amz-Signature=@&x=1
https://h.blob.core.windows.net/c?sv=2024&sig=@
https://h/api?api_key=@
https://h/api?apikey=@
https://user:@@host/path
jdbc:mysql://h/db?user=u&password=@
jdbc:oracle:thin:scott/@@db:1521/x
GET /a?password%3D@
{%22secret%22%3A%22@%22}
&quot;client_secret&quot;:&quot;@&quot;
<ssl:keyPassword>@</ssl:keyPassword>
{"value": "@", "name": "SASL_PASSWORD"}
name: SASL_PASSWORD value: @
Invalid value @ for configuration ssl.truststore.password: too short
login with password @ failed
wrong password '@' for user
the secret is @
ghp_@0123456789
glpat-@abcdef
xoxp-1-2-@
sk_live_@
SG.@.@
npm_@0123456789
hvs.@
https://hooks.slack.com/services/T0/B0/@
basic.auth.user.info = user:@
confluent.license=@
client_assertion=@
client-final-message: c=biws,r=nonce,p=@
LDAP bindpw=@
KAFKA_SASL_PASSWORD=@
AZURE_CLIENT_SECRET=@
pass\x1b[1mword=@
ssl.key.pass\u200bword = @
x=\\u0070assword\\=@
""".strip().split("\n")

MORE_FORMS = """
PATCH body {"kind":"Secret","metadata":{"name":"a"},"stringData":{"my.value":"{S}"}}
{"kind":"List","items":[{"kind":"Secret","data":{"zz":"{S}"}}]}
Updating Secret(apiVersion=v1, data={ca.crt=YWJj, user.key={S}}, kind=Secret, metadata=ObjectMeta(name=x))
kubectl create secret generic kafka --from-literal=user.value={S} -n kafka
kubectl -n k create secret docker-registry r --docker-username=a --docker-password={S}
kubectl patch secret s -p '{"data":{"a":"{S}"}}'
SCHEMA_REGISTRY_BASIC_AUTH_USER_INFO=alice:{S}
CONNECT_VALUE_CONVERTER_BASIC_AUTH_USER_INFO: key1:{S}
KSQL_KSQL_SCHEMA_REGISTRY_BASIC_AUTH_USER_INFO=k:{S}
KAFKA_SSL_KEY_CREDENTIALS_VALUE={S}
MY_APP_KEY_PASSPHRASE={S}
DB_PASS={S}
PGPASSWORD={S} psql -h db
SASL_PWD={S}
AWS_SECRET_KEY={S}
export MYSQL_PWD='{S}'
set KAFKA_PASSWORD={S}
$env:KAFKA_PASSWORD = "{S}"
ENCRYPTION_KEY={S}
FERNET_KEY={S}=
GITLAB_PAT={S}
SIGNING_KEY: {S}
KEYSTORE_B64=MIIKUQ{S}
TRUSTSTORE_PKCS12_BASE64={S}
[sasl.password] => {S}
'password' => '{S}'
:password => "{S}"
password ==> {S}
password => old9, {S}x
password -> {S}
password := {S}
password ← {S}
set ssl.key.password to {S}
changing password from {S} to [hidden]
('sasl.password', '{S}')
["api_key", "{S}"]
entry("db.password", "{S}")
(password,{S})
Tuple2(password, {S})
List((user,a), (password,{S}))
put("ssl.key.password", "{S}");
setProperty('sasl.password', '{S}')
{"name":"sasl.password","value":"{S}"}
{"value":"{S}","name":"sasl.password"}
- name: DB_PASSWORD value: {S}
<entry key='db.password'>{S}</entry>
password '{S}' was rejected by the server
the password for user bob is {S}
{S} is the password for bob
Password for bob: {S}
Wrong password "{S}"
using password {S} for keystore
password has been changed to {S}
new password is '{S}'
keystore was tampered with, or password was incorrect: {S}
login with password={S} refused
decrypted password: {S}
invalid secret {S} for client a
token {S} rejected
Kennwort: {S}
Passwort '{S}' ist falsch
パスワード={S}
비밀번호: {S}
hasło={S}
Authorization: ApiKey {S}
authorization: Bearer {S}
> Proxy-Authorization: Basic {S}
Authorization: AWS4-HMAC-SHA256 Credential=AK/2026/us/s/aws4_request, SignedHeaders=host, Signature={S}
Cookie: a=b; session={S}
Set-Cookie: JSESSIONID={S}; Path=/
X-Api-Key: {S}
headers={authorization=[Bearer {S}]}
Authorization=Basic {S}
https://alice:{S}@sr:8081/subjects
jdbc:postgresql://db/x?user=a&password={S}&ssl=true
http://a:{S}@proxy:3128
GET /cb?code={S}&state=x
https://x.blob.core.windows.net/c?sv=2020&sig={S}
https://s3/x?X-Amz-Signature={S}&X-Amz-Credential=a
redis://:{S}@cache:6379/0
ftp://u:{S}/x@h/p
curl -u alice:{S} http://x
curl -H 'X-Token: {S}' x
mysql -u root -p{S} db
kafka-acls --command-config x --password {S}
keytool -storepass {S} -list
openssl pkcs12 -passin pass:{S}
java -Djavax.net.ssl.keyStorePassword={S} -jar x
echo {S} | kinit alice
sshpass -p {S} ssh x
--sasl-password={S}
ldapsearch -D cn=a -w {S}
wget --http-password={S} x
user_carol="{S}"
org.apache.kafka.common.security.scram.ScramLoginModule required password='{S}' username='a';
SCRAM-SHA-256=[salt=aa,stored_key=bb,server_key={S},iterations=4096]
%70assword={S}
password&#61;x password&#61;{S}
\\u0070assword={S}
{\\"password\\":\\"{S}\\"}
passphrase: {S}
ghp_16C7e42F292c6912E7710c838347Ae17{S}
xoxb-123456789012-1234567890123-{S}
hvs.CAESIJ{S}aaaaaaaaaaaaaaaaaaaaaa
$6$rounds=5000$salt${S}
{SSHA}{S}aaaaaaaaaaaaaaaaaaaaaaaa
one-time code {S}
jdbc:mysql://db:3306/x?user=root&password={S}
jdbc:sqlserver://h:1433;databaseName=x;user=sa;password={S};encrypt=true
jdbc:oracle:thin:@//h:1521/x user=scott/{S}
jdbc:postgresql://alice:{S}@db:5432/x
jdbc:db2://h:50000/db:user=alice;password={S};
connection.password={S}
connection.url=jdbc:mysql://h/x?password={S}&useSSL=false
Cookie: session_id={S}; theme=dark
Set-Cookie: SID={S}; Path=/; Secure
cookie="JSESSIONID={S}"
Cookie2: $Version=1; k={S}
headers={Authorization=[Bearer {S}]}
Authorization: Negotiate {S}
Authorization: NTLM {S}
Authorization: SCRAM-SHA-256 data={S}
Authorization: Bearer {S}.abc.def
authorization=Basic {S}
"Authorization":"Bearer {S}"
Proxy-Authorization: Digest username="a", response="{S}"
-H 'Authorization: Bearer {S}'
WWW-Authenticate: Bearer token="{S}"
X-Auth-Token: {S}
X-Vault-Token: {S}
X-API-KEY: {S}
x-functions-key: {S}
Ocp-Apim-Subscription-Key: {S}
X-Goog-Api-Key: {S}
PRIVATE-TOKEN: {S}
glpat-{S}
github_pat_11ABC_{S}
ghs_{S}0123456789012345678901
xoxp-12345-67890-{S}
xapp-1-A0-{S}
sk_test_{S}
rk_live_{S}
whsec_{S}0123456789
shpat_{S}0123456789abcdef
sq0csp-{S}0123456789
EAACEdEose0cBA{S}
SG.{S}.abcdefghijklmnop
dp.st.prd.{S}
lin_api_{S}0123456789
figd_{S}0123456789
nfp_{S}0123456789
atlasv1.{S}0123456789
ATATT3xFfGF0{S}0123456789
hvb.AAAA{S}
ya29.a0{S}
1//0g{S}0123456789abcdefghij refresh_token
AccountKey={S}==;EndpointSuffix=core.windows.net
SharedAccessKey={S}=;EntityPath=x
Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={S}=
sv=2020-08-04&ss=b&sig={S}%3D
SharedAccessSignature sr=x&sig={S}&se=1&skn=x
client_secret={S}&grant_type=client_credentials
client-secret: {S}
clientSecret => {S}
secretKey={S}
secret_key: "{S}"
aws_session_token = {S}
<secretKey>{S}</secretKey>
<property name="password" value="{S}"/>
<property><name>ssl.server.keystore.password</name><value>{S}</value></property>
<entry key="password">{S}</entry>
<ns:password type="text">{S}</ns:password>
<password><![CDATA[{S}]]></password>
<user name="a" pwd="{S}"/>
&lt;password&gt;{S}&lt;/password&gt;
password&#61;{S}
password%3A%20{S}
password%253D{S}
%22token%22%3A%22{S}%22
"pass\\u0077ord":"{S}"
password\\u003d{S}
{\\"client_secret\\":\\"{S}\\"}
{"auth":{"type":"basic","pw":"{S}"}}
{"credentials":{"username":"a","value":"{S}"}}
{"key":"sasl.password","val":"{S}"}
{"name":"DB_PASSWORD","value":"{S}"}
{"value":"{S}","name":"ssl.key.password"}
[name=ssl.key.password, value={S}]
ConfigEntry(name=sasl.jaas.config, value=org.x.PlainLoginModule required username=a password={S};, isSensitive=true)
name: SASL_PASSWORD value: {S}
{S} is the password
the value {S} of password was refused
value '{S}' for property ssl.keystore.password
Using {S} as password
password for alice: {S}
password (alice): {S}
Password for user alice is {S}
password of user alice = {S}
pass: {S}
PASS={S}
pw={S}
PGPASSWORD={S} psql -h x
MYSQL_PWD={S}
REDISCLI_AUTH={S}
export KAFKA_OPTS="-Djavax.net.ssl.trustStorePassword={S}"
-Dcom.sun.jndi.ldap.password={S}
-Dsecret={S}
--password={S}
--password '{S}'
--secret {S}
--api-key {S}
--client-secret {S}
-keypass {S}
-srcstorepass {S}
-deststorepass {S}
-passout pass:{S}
curl --user alice:{S} https://h
curl -ualice:{S} https://h
curl --oauth2-bearer {S} https://h
curl -H "X-Token: {S}" https://h
wget --http-password={S} https://h
wget --password {S} https://h
sshpass -p {S} ssh h
sshpass -p'{S}' ssh h
mysql -uroot -p'{S}' db
mysqldump --password={S} db
redis-cli -a {S} ping
mongo -u a -p {S} --authenticationDatabase admin
psql "host=h user=a password={S} dbname=x"
docker login -u a -p {S}
ldapsearch -D cn=admin -w {S} -b dc=x
kinit -k -t /x alice@REALM password {S}
openssl enc -aes-256-cbc -k {S}
keytool -keystore a.jks -storepass '{S}' -keypass "{S}"
htpasswd -b f alice {S}
zkCli.sh addauth digest alice:{S}
[zk: x(CONNECTED) 0] addauth digest alice:{S}
setAcl /x digest:alice:{S}:cdrwa
setAcl / auth:alice:{S}:crwa
snmpwalk -v3 -A {S} -X {S}
SASL_JAAS_CONFIG=org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password='{S}';
password={S} username=a
KafkaServer { org.x.PlainLoginModule required password="{S}" user_a="{S}"; };
user_bob = "{S}"
sasl.jaas.config=org.x.OAuthBearerLoginModule required clientId=a clientSecret={S} scope=x;
oauth.client.secret="{S}"
oauth.access.token="{S}"
ssl.truststore.certificates=-----BEGIN CERTIFICATE----- abc -----END CERTIFICATE----- ssl.keystore.key=-----BEGIN ENCRYPTED PRIVATE KEY----- {S} -----END ENCRYPTED PRIVATE KEY-----
-----BEGIN EC PRIVATE KEY-----\\nMHc{S}\\n-----END EC PRIVATE KEY-----
-----BEGIN DSA PRIVATE KEY----- {S}
-----BEGIN PGP PRIVATE KEY BLOCK----- {S}
ssl.keystore.password\\={S}
ssl.keystore.password\\:{S}
ssl.keystore.password   {S}
password = "{S} with words"
password = 'it is {S}'
password=[{S}]
password={{S}}
password=({S})
password=<{S}>
password=`{S}`
password=«{S}»
password="a\\"b{S}"
password=a,{S}
password=a;{S}
password = a b {S}
password: 'a b {S}'
Passphrase = {S}
passcode: {S}
PIN: {S}
secret = {S}
my secret is {S}
token: {S}
access_token={S}
id_token: {S}
refresh-token={S}
accessToken":"{S}"
csrf_token={S}
session_key={S}
nonce=a, password={S}
otp=123456{S}
license key: {S}
licenseKey={S}
encryptionKey={S}
signing_key={S}
hmac_key: {S}
hmacKey={S}
private_key: {S}
privateKey => {S}
sshKey={S}
deploy_key = {S}
webhook_secret={S}
https://discord.com/api/webhooks/123/{S}
https://hooks.slack.com/services/T0/B0/{S}
https://outlook.office.com/webhook/abc@def/IncomingWebhook/{S}/x
ftp://alice:{S}@host/x
amqp://guest:{S}@rabbit:5672
sftp://alice:p{S}@host
ldap://cn=admin:{S}@ldap:389
http://alice:{S}@proxy:3128
smb://dom;alice:{S}@host/share
git+https://oauth2:{S}@gitlab/x
mongodb://a:{S}@h1:27017,h2:27017/x
redis://default:{S}@h:6379
https://h/path?access_token={S}
https://h/path?X-Amz-Credential=a&X-Amz-Security-Token={S}&x=1
https://h/path#access_token={S}&x=y
https://h/?pwd={S}
https://h/?auth={S}
https://maps/api?key={S}
truststorePassword={S}
keyStorePass={S}
javax.net.ssl.keyStorePassword {S}
db.pass = {S}
dbPassword:{S}
spring.datasource.password: {S}
rootpw={S}
adminPw: {S}
SCRAM-SHA-512=[salt=abc,stored_key={S},server_key={S},iterations=4096]
SCRAM-SHA-256=[password={S}]
SCRAM-SHA-512=[iterations=8192,password='{S}']
scram credential salt={S} storedKey={S}
{"salt":"{S}","storedKey":"{S}"}
c=biws,r=x,p={S}
PLAIN \\0alice\\0{S}
DelegationToken hmac {S}
--token-hmac {S}
tokenId=abc hmac={S}
hmac: {S}
Invalid value {S} for configuration ssl.key.password
Set ssl.keystore.password to {S}
changed password from {S} to {S}
password changed: {S} -> {S}
old password "{S}"
New password: {S}
Enter password: {S}
Re-enter new password: {S}
login alice/{S}
credentials alice:{S}
credential=alice:{S}
creds={S}
user:pass alice:{S}
basic.auth.credentials.source=USER_INFO basic.auth.user.info=a:{S}
sasl.login.password={S}
confluent.metadata.basic.auth.user.info=u:{S}
confluent.license={S}
ldap.java.naming.security.credentials={S}
bindPassword={S}
jdbc:oracle:thin:@//h:1521/x user='scott/tigerish{S}'
jdbc:oracle:oci:scott/a@{S}@//h:1521/x
jdbc:oracle:thin:scott/a/{S}@h:1521:x
connect scott/{S}@ORCL
CONN scott/{S}@//h:1521/x
ORA-01017: invalid username/password; logon denied for scott/{S}@ORCL
scott/a!{S}@ORCL
CREATE USER scott IDENTIFIED BY {S};
passwd alice {S}
passwd -q alice {S}
COMMAND=/usr/bin/passwd alice {S}
echo {S} | passwd --stdin alice
echo 'alice:{S}' | sudo chpasswd
bind_pw {S}
keytab password {S}
zookeeper.superUser.password={S}
superUser digest super:{S}
ANSIBLE_VAULT_PASSWORD: {S}
GOOGLE_API_KEY={S}
NPM_TOKEN={S}
//registry.npmjs.org/:_authToken={S}
_password={S}
_auth={S}
machine h login alice password {S}
kafka-configs.sh --alter --add-config 'SCRAM-SHA-512=[password={S}]' --entity-name alice
spring.kafka.properties.sasl.jaas.config: org.x.PlainLoginModule required username='a' password='{S}';
KAFKA_LISTENER_NAME_SASL_SSL_SCRAM-SHA-256_SASL_JAAS_CONFIG=org.x.ScramLoginModule required username="a" password="{S}";
kcat -b b:9092 -X sasl.username=a -X sasl.password={S} -L
kubectl create secret generic x --from-literal=password={S}
kubectl create secret generic x --from-literal=KAFKA_PASS={S}
docker run -e KAFKA_PASSWORD={S} img
helm install x --set auth.clientPasswords={S}
helm install x --set-string sasl.client.passwords={{S}}
env: [{name: SECRET_KEY, value: {S}}]
config.providers.vault.param.token={S}
vault kv get -token={S} secret/kafka
grpc metadata: authorization=Bearer {S}
git clone https://x-access-token:{S}@github.com/a/b
http-proxy=http://u:{S}@proxy:80
AUTH PLAIN {S}Ab12==
redis AUTH default {S}
GRANT ALL ON *.* TO 'a'@'%' IDENTIFIED BY '{S}'
ALTER USER a WITH PASSWORD '{S}'
ALTER ROLE a WITH ENCRYPTED PASSWORD '{S}' VALID UNTIL 'infinity'
SET PASSWORD FOR 'a'@'h' = '{S}'
CREATE ROLE a LOGIN PASSWORD '{S}'
PGPASSWORD='{S}' pg_dump db
sqlcmd -S h -U sa -P {S}
net use \\\\h\\share /user:alice {S}
mount -t cifs //h/s /mnt -o username=a,password={S}
ssh-keygen -t rsa -N '{S}' -f k
openssl pkcs12 -export -password pass:{S}
gpg --batch --passphrase {S} -d f
ansible-playbook -e 'db_password={S}' x.yml
terraform apply -var="db_password={S}"
aws configure set aws_secret_access_key {S}
az login --service-principal -u a -p {S} --tenant t
oc login --token={S}
kubectl config set-credentials a --token={S}
kubectl config set-credentials a --username=a --password={S}
client-key-data: {S}
{"auths":{"registry":{"auth":"{S}"}}}
sasl.oauthbearer.client.credentials.client.secret = {S}
sasl.oauthbearer.assertion.private.key.passphrase = {S}
delegation.token.secret.key = {S}
remote.log.metadata.manager.impl.ssl.key.password={S}
rsm.config.storage.aws.secret.access.key={S}
s3.secret-access-key={S}
rsm.config.storage.azure.account.key={S}
rsm.config.storage.gcs.credentials.json={"private_key":"{S}"}
database.password: {S}
sasl_plain_password='{S}'
new KafkaClient({ sasl: { mechanism: 'plain', username: 'a', password: '{S}' } })
jmxremote.password: controlRole {S}
Api-Token: {S}
X-Registry-Auth: {S}
DD_API_KEY={S}
NEW_RELIC_LICENSE_KEY={S}
Authorization: Splunk {S}
https://api.telegram.org/bot123456789:AA{S}abcdefghijklmnopqrstuv/sendMessage
dsn=https://{S}@o1.ingest.sentry.io/5
private_key_passphrase={S}
new UsernamePasswordCredentials("alice","{S}")
UsernamePasswordCredentials(alice, {S})
Credentials{user='a', password='{S}'}
bind as cn=admin with password {S}
Provided password "{S}" did not match
password mismatch: expected '{S}' got '{S}'
otpauth://totp/a?secret={S}&issuer=x
{"key":"-----BEGIN PRIVATE KEY-----\\n{S}\\n-----END PRIVATE KEY-----"}
<add key="ConnectionString" value="Server=h;User Id=a;Password={S};"/>
Server=h;Uid=a;Pwd={S};
cmdline: ["java","-Dssl.key.password={S}","kafka.Kafka"]
args: ["--sasl-password", "{S}"]
Cmd ['--password', '{S}']
curl -H "Authorization: Basic {S}" h
curl -d 'username=a&password={S}' h
curl -X POST -d '{"user":"a","password":"{S}"}' h
chpasswd <<< "alice:{S}"
sudo chpasswd <<<alice:{S}
passwd --stdin alice <<< {S}
printf 'alice:{S}' | chpasswd
usermod -p {S} alice
useradd -m -p '{S}' alice
sqlplus alice/{S}@ORCL
alice/{S}@ORCL
rman target sys/{S}@ORCLPDB1
auth: alice\\0{S}
sessionid={S}
GET /x;jsessionid={S}
PHPSESSID={S}
Token {S} is not valid
token '{S}' was rejected
Invalid token: {S}
Bearer token {S} rejected
API key {S} is not authorized
license={S}
SharedAccessSignature sr=h&sig={S}&se=1
x-ms-signature: {S}
key-{S}0123456789abcdef0123 of mailgun apikey
pul-{S}0123456789abcdef
s.{S}0123456789abcdefghij is the vault token
ssl.key.password=${file:/x:y} old={S} password
Invalid value [hidden] {S} for configuration sasl.jaas.config
Processing AlterableConfig(name='listener.name.ssl.ssl.truststore.password', configOperation=0, value='{S}')
[QuorumController id=1] Replayed ConfigRecord(resourceType=4, resourceName='1', name='sasl.jaas.config', value='{S}')
cfg: (*Config){User:(string) (len=5) "alice",Password:(string) (len=9) "{S}"}
requests.get(url, auth=('alice', '{S}'))
<property name="hibernate.connection.password" type="string" value="{S}"/>
env SSHPASS={S} sshpass -e ssh h
ran: echo '{S}' | kinit alice@EXAMPLE.COM
ran: printf '%s' {S} | docker login -u a --password-stdin r.io
ran: smbclient //h/share -U 'alice%{S}'
ran: net use Z: \\\\\\\\srv\\\\share {S} /user:alice
ran: xfreerdp /u:alice /p:{S} /v:h
ran: lftp -u alice,{S} sftp://h
ran: zip -P {S} logs.zip server.log
ran: 7z a -p{S} logs.7z server.log
ran: kubectl create secret generic k --from-literal=broker={S}
ran: helm upgrade k kafka --set auth.clientPasswords[0]={S},replicas=3
ran: etcdctl --user root:{S} member list
CONFIG SET requirepass {S}
ran: mosquitto_pub -h h -u a -P {S} -t t
ran: rabbitmqctl change_password alice {S}
ran: ipmitool -H h -U ADMIN -P {S} power reset
ran: expect -c 'spawn ssh h; expect "assword:"; send "{S}\\r"'
ran: ConvertTo-SecureString "{S}" -AsPlainText -Force
.pgpass: h1:5432:db:alice:{S}
network={ ssid="x" psk="{S}" }
key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk{S}{S}
{"kty":"EC","crv":"P-256","x":"abc","y":"def","d":"{S}{S}"}
{"kty":"oct","k":"{S}{S}","alg":"HS256"}
code_verifier={S}
sent header NTLM TlRMTVNTUAADAAAA{S}{S}
> a1 LOGIN alice {S}
---> PASS {S}
+1 "AUTH" "default" "{S}"
Unseal Key 1: {S}{S}
snmp-server community {S} RO
using encryption key {S}{S} for volume v
plaintextDataKey={S}{S}
the shared secret with radius is {S}
Kennwort={S}
mot de passe : {S}
contraseña={S}
senha: {S}
hasło: {S}
пароль: {S}
密码：{S}
パスワード: {S}
p@ssword: {S}
pass word: {S}
login with alice / {S} was refused
[password] {S}
password | {S}
Enter pass phrase for key.pem: {S}
expected password 'x1' but got '{S}'
password：{S}
{sasl,{plain,<<"svc">>,<<"{S}">>}}
sasl: {:scram_sha_256, "svc", "{S}"}, ssl: true
confluent api-key store ABCDEFGHIJKLMNOP {S} --resource lkc-12345
CLIENT_RANDOM 52340c1eb2b4a5f0f2d3b5d1c9a8e7f652340c1eb2b4a5f0f2d3b5d1c9a8e7f6 {H}{H}{H}
set -gx KAFKA_KEY_PASS {S}
setenv KAFKA_PASSWORD {S}
C:\\> setx KAFKA_PASSWORD "{S}"
openssl enc -d -aes-128-cbc -K {H} -iv 0102030405060708090a0b0c0d0e0f10 -in a
Login with AVNS_{S} refused
{"routing_key":"{H}","event_action":"trigger"}
BasicCredentials(alice,{S})
SaslPlainCredentials(alice, {S})
aws ssm put-parameter --name /kafka/pw --value {S} --type SecureString
aws ssm put-parameter --type SecureString --name /kafka/pw --value "{S}"
az keyvault secret set --vault-name v --name kafka --value {S}
vault kv put secret/kafka user=a admin={S}
fly secrets set FOO={S} BAR={S}
gh secret set KAFKA --body {S}
Failed login (password = correct {S} battery , user = alice)
Connecting with user = alice, password = correct {S} battery, host = db1
config {user=alice, password=correct {S} battery}
""".strip().split("\n")

BLOCKS = [
    'dump\napiVersion: v1\nkind: Secret\nmetadata:\n  name: kafka-users\ndata:\n  # rotated in May\n\n  alice.p12: {S}\n  other: abc=',
    'dump\nkind: Secret\nstringData:\n  creds.properties: >-\n    user=a\n    {S}\ntype: Opaque',
    'dump\n{\n  "apiVersion": "v1",\n  "kind": "Secret",\n  "data": {\n    "user.crt": "YWJj",\n    "user.key": "{S}"\n  }\n}',
    'Containers:\n  kafka:\n    Environment:\n      KAFKA_INTER_BROKER_PASSWORD:  {S}\n      KAFKA_ID: 1',
    '$ vault kv get secret/kafka\n====== Metadata ======\nKey              Value\n---              -----\nversion          1\n\n====== Data ======\nKey         Value\n---         -----\napi_key     {S}\nuser        alice',
    '$ vault write -f auth/approle/role/x/secret-id\nKey                   Value\n---                   -----\nsecret_id             {S}\nsecret_id_accessor    c4f9\nsecret_id_ttl         0s',
    'Calling describe token operation\nTOKENID         HMAC                           OWNER           RENEWERS                  ISSUEDATE       EXPIRYDATE      MAXDATE\nabcDEF012345    {S}aaaaaaaaaaaaaa==  User:admin      [User:bob]   2026-01-01T00:00  2026-01-02T00:00  2026-01-03T00:00',
    '| setting | value |\n|---------|-------|\n| sasl.username | alice |\n| sasl.password | {S} |',
    'user            alice\npassword        {S}\nhost            db1',
    '-[ RECORD 1 ]+------\nuser         | a\npassword     | {S}',
    'host,user,password,port\ndb1,alice,{S},5432',
    'user\tpassword\talias\na\t{S}\tc',
    '┌──────────┬────────────┐\n│ user     │ password   │\n├──────────┼────────────┤\n│ alice    │ {S} │\n└──────────┴────────────┘',
    'Calling create token operation with renewers :[] , max-life-time-period :-1\nCreated delegation token with tokenId : aa\n\nTOKENID         HMAC                           OWNER\naa  {S}bbbbbbbbbbbbbbbbb=  User:admin',
    'env\n- name: DB_PASSWORD\n  value: {S}',
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,AA\n\nMIIE{S}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nAAAA{S}bb==\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEI{S}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'kafka-1  | -----BEGIN PRIVATE KEY-----\nkafka-1  | MIIE{S}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nkafka-1  | -----END PRIVATE KEY-----',
    'ssl.keystore.key=-----BEGIN PRIVATE KEY----- \\\nMIIE{S}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa \\\n-----END PRIVATE KEY-----',
    'key: |\n    -----BEGIN PRIVATE KEY-----\n    MIIE{S}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    -----END PRIVATE KEY-----',
    'Enter password:\n{S}',
    'KafkaClient {\n  org.apache.kafka.common.security.plain.PlainLoginModule required\n  username="a" password="{S}";\n};',
    '[kafka]\nuser = a\nsasl_plain_password = {S}',
]  # fmt: skip

FORMS_LATER = [
    "password=[hidden]{S}",
    'password="[hidden]{S}"',
    "password=org.apache.Kafka{S}",
    "password=com.acme.internal.{S}",
    "password=${env:{S}}",
    "password=${env:DB}{S}",
    "Illegal character in authority at index 8: https://u:{S} x@host/",
    "https://u:a {S}@host:80/x",
    "PASSWORD<{S}>",
    "login alice {S}",
    "kms.data.key={S}",
    "password\\t{S} (kafka.server.KafkaServer)",
    "password ....... {S} (kafka.server.KafkaServer)",
    "Nov 21 05:31:44 host1 kafka-server-start.sh[77]: password=x y z {S}",
    "Nov 21 05:31:44 host1 sudo[12]: alice : PWD=/root ; COMMAND=/usr/bin/run password ....... {S}",
    "metrics.reporter.auth={S}",
    "elastic.reporter.auth: {S}",
    "he used the password, {S}, twice",
    "the secret, '{S}', is old",
    "Generated super:{S}= for superDigest",
    "super:D/InIHSb7yEE{S}= superDigest",
    "env:\n- name: DB_PASSWORD\n  # set by hand\n  value: {S}",
    'env:\n- name: DB_PASSWORD\n  # one\n  # two\n  value: "{S}"',
    "env:\n- value: {S}\n  # set by hand\n  name: DB_PASSWORD",
    'password = """\n{S}\nand {S}\n"""',
    "[kafka]\nsecret = '''\n{S}\n'''",
]

LOOK_ALIKES_LATER = [
    "login alice host1.example.com",
    "Login module OAuth2LoginModule loaded",
    "https://proxy:8080 mailed alice@example.com/x",
    "SASL_SSL://broker1:9092 sent to alice@EXAMPLE.COM:",
    "password: org.apache.kafka.common.errors.SaslAuthenticationException: bad",
    "ssl.key.password org.apache.kafka.common.config.types.Password@1f2",
    "password=org.apache.log4j.Log4jAppender",
    "password=${env:KAFKA_PW}",
    "password=[hidden], x=1",
    "metrics.reporter.auth=none",
    "http.auth=SASL_SSL",
    "Optional<Password>",
    "Supplier<Password> of PASSWORD<T>",
    "the password, base64, is long",
    "superuser super:admin logged in",
    'description = """\nsome text 12a\n"""',
    'password = """\n[2026-11-21 05:34:44,123] INFO started\n"""',
    "- name: REPLICAS\n  # note\n  value: 3a4",
]

LOOK_ALIKES = """
token expired, retry
tokens: 3 of 5
password.encoder.iterations=4096
ssl.keystore.type=JKS
license: Apache-2.0
License: MIT
LICENSE=ASL
secret.name=my-secret-name-ref
Secret my-user in namespace kafka was updated
secrets_hidden 0
auth completed for alice at 05:31
authorization succeeded for User:alice on Topic:orders
Authorizer = kafka.security.authorizer.AclAuthorizer
key=orders value=5
key.converter=org.apache.kafka.connect.json.JsonConverter
Key         Value
partition key hash is murmur2
group.id=token-service
client.id=password-reset-service
Consumer clientId=consumer-secret-sauce-1
topic passwords-0 partition
[Partition tokens-3 broker=1] Shrinking ISR from 1,2,3 to 1,3
Created log for partition secrets-0 in /data/secrets-0
delegation.token.expiry.check.interval.ms = 3600000
ssl.keystore.password = [hidden]
password authentication failed for user alice
no password was given
token bucket rate 1000 per second
session timeout 18000
session=0x10000abc expired
code=500 reason
exit code 137
error code: 41
device code path /dev/sda
code 3 returned
unlock took 5 ms
user/pass path not set
credentials provider: DefaultChain
pat -1
path -> /tmp/x
wrong password
incorrect password supplied
has been set to 5
value -> 7
epoch -> 5
(leader, 2)
('topic', 'orders')
min.insync.replicas => 2
passed: 12, failed: 3
bypass: true
compass=north
tokenizer=standard
secretary=alice
MSK cluster signature version 4
AUTH_METHOD=SASL_SSL
BASIC_AUTH_CREDENTIALS_SOURCE=USER_INFO
basic.auth.credentials.source=USER_INFO
kafka.auth.type=plain
hmac algorithm HmacSHA512
TOKENID         HMAC                           OWNER
salt.length=16
base64 decoding failed
keystore.location=/etc/kafka/ks.p12
keystore.p12 loaded
truststore.p12: 3 certificates
-----BEGIN CERTIFICATE-----
old → new
host=db,port=5432
no credentials: skip
assertion failed: x > 3
assertion=false
NumberFormatException: For input string: "abc"
For input string: "12x" while parsing num.io.threads
kms.data.key.id=arn
Data size, password count, ok
[2026-11-21 05:34:44,123] INFO [LogLoader partition=orders-0, dir=/data] Loading producer state till offset 1234567890 with message format version 2
[Partition orders-0 broker=1] Shrinking ISR from 1,2,3 to 1. Leader: (highWatermark: 100, endOffset: 200)
Cluster ID = 5L6g3nShT-eMCtK--X86sw
topicId=AbCdEfGhIjKlMnOpQrStUv leaderEpoch=12
/var/lib/kafka/data/orders-0.3f2a9c8e7b6d5c4b3a291817161514f3-delete/00000000000000000000.log
Kafka commitId: 839b886f9b732b15
Token expired for user alice
SslAuthenticationException: SSL handshake failed
[DelegationTokenManager id=1] Delegation token expired for token: tokenId with owner: User:alice
Removing expired delegation tokens
password expired
The password expired on 2026-11-01
Login failed: password incorrect
wrong password for user alice
password must be changed
Keystore was tampered with, or password was incorrect
secret not found
ssl.key.password = null
sasl.jaas.config = null
delegation.token.expiry.time.ms = 86400000
delegation.token.master.key = null
delegation.token.max.lifetime.ms = 604800000
password.encoder.iterations = 4096
password.encoder.keyfactory.algorithm = null
password.encoder.cipher.algorithm = AES/CBC/PKCS5Padding
password.encoder.key.length = 128
password.encoder.old.secret = null
sasl.oauthbearer.token.endpoint.url = null
sasl.login.callback.handler.class = null
Handling request ApiKey=18 (API_VERSIONS)
RequestHeader(apiKey=METADATA, apiVersion=12, clientId=app, correlationId=4)
Error for api key 75
Token bucket for client app-1 is exhausted
topic password-resets partition 3 leader 2
[Partition password-resets-0 broker=1] Log loaded for partition password-resets-0 with initial high watermark 5
Deleting topic user-tokens
Created log for partition auth-token-events-4 in /data/auth-token-events-4
[GroupCoordinator 1]: Preparing to rebalance group secret-santa in state PreparingRebalance with old generation 4
Group token-service with generation 5 is now empty
clientId=password-service-1
Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512
java.io.IOException: Keystore was tampered with, or password was incorrect
Caused by: java.security.UnrecoverableKeyException: Password verification failed
at org.apache.kafka.common.config.types.Password.value(Password.java:45)
org.apache.kafka.common.security.token.delegation.internals.DelegationTokenCache
kafka.server.DelegationTokenManager
[ExpirationReaper-1-DelegationToken]: Starting
SessionExpired: session 0x100a2b3c4d50001 has expired
Client session timed out, have not heard from server in 4002ms for session id 0x100a2b3c4d50001
key=orders value=17
cookie consent
pinned to cpu 4
Principal = User:alice is Allowed Operation = Describe
User:CN=broker-1,OU=x
producerId=4012 epoch=3 token=none
[Consumer clientId=c-1, groupId=g-1] Resetting offset for partition orders-0 to position FetchPosition{offset=55, offsetEpoch=Optional.empty, currentLeader=LeaderAndEpoch{leader=Optional[broker-1:9092 (id: 1 rack: null)], epoch=12}}
node-1:9092 (id: 1 rack: null)
Connecting to zookeeper zk1:2181,zk2:2181/kafka
Authorizer: authorizer.class.name = kafka.security.authorizer.AclAuthorizer
Could not authenticate using the credential of type ScramCredential
ScramCredentialInfo(mechanism=SCRAM-SHA-256, iterations=4096)
Updated SCRAM credential for alice
digest mismatch: crc 123456789
signature verification failed
private key not found
key alias kafka-1 found in keystore
access key rotation done
Loaded license information
License will expire in 30 days
super user is User:admin
tokens=12 remaining=4
secret.version=3
The number of tokens is 42
passing argument -Xmx4g to java
bypass=true
compass=7
passed=12 failed=0
Basic authentication is enabled
Bearer authentication required
user_agent="kafka-replay/1.0"
salted=true
Cannot get password: FileNotFoundException /etc/kafka/secrets/pw.txt
ssl.keystore.location = /etc/kafka/secrets/kafka.keystore.jks
secrets dir /etc/kafka/secrets mounted
token-service-7f9c6d5b8-abcde
offset 9223372036854775807 leader epoch 12 high watermark 1000
Cluster ID = MkU3OEVBNTcwNTJENDM2Qk
topic ID Zq7xKpLm2vRt9wAbCdEf1g for partition orders-0
topicId=Zq7xKpLm2vRt9wAbCdEf1g, topic=orders, partition=0
00000000000000000012.log, 3f786850e387550fdab836ed7e6dbb3c.snapshot
Session 0x1000a2b3c4d0001 for server zk1/10.0.0.1:2181
Client-auth: user_id=5, user_agent=librdkafka
apiKey=FETCH, apiVersion=12, correlationId=7
RequestHeader(apiKey=PRODUCE, apiVersion=9, clientId=producer-1, correlationId=3)
partition secrets-0 broker=1
Renewing delegation tokens every 3600000 ms
token expired at 2026-11-21 05:34:44,123
keystore password was incorrect
Invalid username or password)
Password for user alice must be changed
sasl.mechanism = SCRAM-SHA-512
ssl.keystore.location = /etc/kafka/server.keystore.jks
ssl.key.password = null
security.protocol=SASL_SSL
compacted keys: key=17, value=3
Key credential type is unknown
Assignment: {consumer-1=[orders-0, orders-1]}
[main] INFO org.apache.kafka.common.security.authenticator.AbstractLogin - Successfully logged in.
at org.apache.kafka.common.security.plain.PlainLoginModule.initialize(PlainLoginModule.java:51)
pin=0 cpu=3 sig=15
mysql connector orders-source started
passwd alice failed
passwd file /etc/passwd read
Authenticated client kafka/broker-1.example.com@EXAMPLE.COM
Failed to connect kafka/broker1@EXAMPLE
principal alice/admin1@EXAMPLE has no ACL
Connected to jdbc:oracle:thin:@//db1:1521/orders
partition orders/1@5 moved
alice/admin1@EXAMPLE
kafka/broker1@EXAMPLE
HTTP/Web01.example.com@CORP.EXAMPLE.COM
orders/0@broker-1
topic/partition@host
orders/12@node-3:9092
Reading orders/0@5
sessionid=0x100a2b3c4d50001
sessionId=1234567890 epoch=3
sessionid:0x1 type:ping cxid:0xfffffffffffffffe zxid:0x26
Token tokens are refreshed
Invalid token: unexpected end of input
Token 5 is not valid
AUTH PLAIN is disabled
redis AUTH failed
s.kafka.Kafka started
s.length of v0
key-0 of topic orders
key-12345 not found
AUTH default mechanism PLAIN
API key 75 is not authorized
API key FETCH is not enabled
API key METADATA is not supported
Error for API key PRODUCE: api key 0 is unsupported version 12
User alice set password policy for role a
ALTER USER a WITH PASSWORD EXPIRED
chpasswd < file
passwd < /dev/null
"args": ["--config", "server.properties"]
client-key alias=kafka
token bucket 5 is not valid
v=1 r=2
old=5 new=7 password changed
old=1,2,3 new=1 ISR
C:\\0data\\x
UsernamePasswordCredentials(null, null)
license expired
controlRole readonly
monitorRole readonly
auth: SCRAM-SHA-512
{"auth":"none"}
{"auth":"basic"}
{"auth":{"type":"none"}}
password: |
net use x
Loaded epoch 17 at offset 482193 for orders-3
Cluster ID = MkU3OEVBNTcwNTJENDM2Qg
topicId=AaBbCcDdEeFfGgHhIiJjKk, partition=3
Removed stale file server-3f1c9b2e7d.log
code=200 path=/v3/clusters
exit code=137 signal=9
Error code: 78 INVALID_CONTROLLER
state=RUNNING worker_id=10.0.0.1:8083
--property print.key=true --from-beginning
-p 9092:9092 -P
ran: ssh -p 2222 kafka@h1
ran: tar -P -cf x.tar dir
ran: cp -p server.log /tmp
ran: mkdir -p /var/kafka/data1
ran: nc -w 5 h1 9092
ran: ps -a x
ran: kill -9 4711
ran: docker run -p 9092:9092 -u 1000:1000 kafka
ran: docker exec -u alice:staff kafka ls
ran: chown alice:kafka /var/kafka
ran: zip -r logs.zip server.log
ran: ls -a /var/lib
ran: kubectl create configmap k --from-literal=retention=604800000
ran: helm upgrade k kafka --set replicas=3,image.tag=3.9.1
ran: echo ruok | nc h1 2181
ran: echo 604800000 | tee /tmp/x
ran: printf '%s' abc123 | sha256sum
ran: passwd -S alice
ran: etcdctl --user root member list
user/group: alice/staff1
login with alice / SCRAM-SHA-512 was refused
Invalid credentials
Invalid credentials for alice
Authentication failed: Invalid username or password
[password] is required
password | string | null | high
password changed from 3 brokers to 4
expected offset '12' but got '14'
keySerializer=org.apache.kafka.Str1ng
key: orders-17 value: 22 bytes
{"key":"retention.ms","value":"604800000"}
{"kty":"none"} "d":"orders-17"
AlterableConfig(name='retention.ms', configOperation=0, value='604800000')
ConfigEntry(name=log.dirs, value=/var/kafka1, source=STATIC)
ConfigRecord(resourceType=2, resourceName='orders', name='min.insync.replicas', value='2')
replicas=[1, 2, 3] isr=[1, 2]
leader=Some(3), epoch=Some(12)
leader=Optional[3], epoch=Optional[12]
tokens=Some(5)
bucket has tokens=[1, 2, 3]
Authentication mechanism PLAIN is not enabled
Kerberos principal kafka/h1.example.com@EXAMPLE.COM
principal=alice/admin1@EXAMPLE
GET /subjects/orders-value/versions/17?deleted=true&state=active
encryption key rotation finished after 17 s
data key version 3
session id 0x10000a1b2c30001
sessionId=0x2000b1c
community edition 7.5.1
request PASS 17 of 20 checks
LOGIN alice succeeded in 17 ms
AUTH PLAIN succeeded
requirepass is not set
mailto kafka-admin1@example.com
https://discord.com/api/channels/1234567890
one-time job 123456 finished
pass 17 of compaction
compaction pass: 17
passed=17 failed=0
pwd=/opt/kafka_2.13-3.9.1
secretName: kafka-tls-v2
tokenizer=standard2
password authenticator SCRAM-SHA-256
credential provider: V2Provider
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
commit 3c2f9b1e7d84a5b6c7d8e9f0a1b2c3d4e5f60718
checksum=9f86d081884c7d659a2feaa0c55ad015
authorizer.class.name = org.apache.kafka.metadata.authorizer.StandardAuthorizer
ssl.keystore.location = /etc/kafka/ks2.jks
hmac algorithm HmacSHA256
identified by node id 17
IDENTIFIED BY the key orders-17
user=alice, host=h1/10.0.0.1
alice:staff1:rw
h1:9092:SSL:ok1
transactionalId=orders-tx-17, producerId=4711
producerId 4000, epoch 17
code 17 sent to client-1
+ sasl_password = (sensitive value)
-Dcom.sun.management.jmxremote.password.file=/etc/kafka/jmx.pw
database.password = ${file:/etc/kafka/db.properties:dbpw}
database.password=${DB_PASSWORD}
Access denied for user 'dbz'@'10.0.0.5' (using password: YES)
MountVolume.SetUp failed for volume "kafka-tls" : secret "kafka-broker-tls" not found
{listener,{plain,<<"0.0.0.0">>,9092}}
aws ssm get-parameter --name /kafka/pw --with-decryption
aws ssm put-parameter --name /kafka/rack --value a1 --type String
openssl s_client -connect kafka-1:9093 -CAfile /etc/ca.pem
routing_key=orders.eu
set -x KAFKA_HOME /opt/kafka
storePass is false clearPass is false
/etc/passwd: not a time
/usr/bin/passwd: Permission denied
""".strip().split("\n")


@for_each("form", FORMS)
def test_a_secret_in_this_form_is_hidden(form):
    shown = hidden_text(
        form.replace("@@", SECRET + "@").replace("@", SECRET) if "@@" not in form else form.replace("@", SECRET, 1)
    )
    assert SECRET not in shown
    assert "[hidden]" in shown


@for_each("form", MORE_FORMS)
def test_a_secret_that_stands_so_is_hidden_after_the_head_of_a_record_too(form):
    for text in (form, f"[2026-11-21 05:34:44,123] WARN {form}"):
        shown = hidden_text(text.replace("{S}", SECRET).replace("{H}", HEX))
        assert (SECRET in shown, HEX in shown) == (False, False)


@for_each(
    "form",
    [
        "password: >-\n    {S}\nend: 1",
        "password: |\n  {S}\nend: 1",
        'password = """{S}"""',
        "stringData:\n  password: {S}",
        '- name: A\n  value: b\n- name: DB_PASSWORD\n  value: "{S}"',
        "chpasswd <<EOF\nalice:{S}\nEOF",
        "- --sasl-password\n- {S}\n- --x",
        "KAFKA_PASSWORD:\n  {S}",
        "ssl.keystore.password=\\\n   {S}",
        'POST\nContent-Disposition: form-data; name="password"\n\n{S}\n--boundary',
        "users:\nuser,password,role\nalice,{S},admin",
        "users\n| user  | password       |\n|-------|----------------|\n| alice | {S} |",
        "settings\n| ssl.key.password | {S} |",
        "manifest\nkind: Secret\ndata:\n  broker: {S}{S}\ntype: Opaque",
        "env\n- value: {S}\n  name: KAFKA_SSL_KEY_PASSWORD",
        "EncryptionKey: keyType=18 kvno=2 keyValue (hex dump)=\n0000: 5E 2A {S}\n0010: A1 B2 {S}",
    ],
)
def test_a_secret_on_the_lines_below_its_name_is_hidden(form):
    assert SECRET not in hidden_text(hidden_lines(form.replace("{S}", SECRET)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("authBytes=[0, 97, 0, 115]", "authBytes=[hidden]"),
        ("alice:$6$Zx9kQw1a$j2xoDhDwRp9fdaKuSymLjbVv5S4:19000:0", "alice:$6$[hidden]:19000:0"),
        ("read entry {SSHA}j2xoDhDwRp9fdaKuSymLjbVv5S4=", "read entry {SSHA}[hidden]"),
        ("one-time code for alice is 176965", "one-time code for alice is [hidden]"),
    ],
)
def test_a_secret_in_numbers_or_hashed_is_hidden(text, shown):
    assert hidden_text(text) == shown


@for_each(
    "text",
    [
        "| Name | Type | Default |\n| ssl.key.password | password | null |\n| ssl.keystore.location | string | null |",
        "kind: ConfigMap\ndata:\n  retention: 604800000",
        'form-data; name="topic"\n\norders-17',
        "- value: 604800000\n  name: KAFKA_LOG_RETENTION_MS",
        "topic,partition,offset\norders,17,482193",
        "a record:\n0000: 5E 2A 77 1C 90 AB 3D 04",
        "user,password expired at\nalice,17",
        "sets: isr,tokens,epoch\nleader 3, epoch 12, offset 17",
    ],
)
def test_lines_that_only_look_like_a_block_with_secrets_stay(text):
    assert hidden_text(hidden_lines(text)) == text


@for_each("text", LOOK_ALIKES)
def test_a_look_alike_stays(text):
    assert hidden_text(text) == text


def test_a_private_key_over_continued_lines_is_hidden_line_by_line():
    text = "a=1\nssl.keystore.key=-----BEGIN PRIVATE KEY----- \\\nMIIEvQ \\\nAbCd \\\n-----END PRIVATE KEY-----\nb=2"
    shown = hidden_lines(text)
    assert ("MIIEvQ" in shown, "AbCd" in shown, shown.count("\n"), shown.endswith("\nb=2")) == (False, False, 5, True)


def test_a_name_and_its_value_on_two_lines():
    assert hidden_text(f"password: >-\n  {SECRET}\nuser: a") == "password: >-\n  [hidden]\nuser: a"
    assert SECRET not in hidden_text(f"- name: KAFKA_PASSWORD\n  value: {SECRET}")
    assert SECRET not in hidden_text(f"login password=\n{SECRET}")
    assert SECRET not in hidden_text(f"user password:\nalice {SECRET}")
    assert hidden_text("passwords=\nab cd\nef") == "passwords=\n[hidden] [hidden]\nef"
    assert hidden_text("password= (kafka.X)\nab1 cd2 and then more ef34 words").endswith(
        "\n[hidden] cd2 and then more [hidden] words"
    )
    assert (
        hidden_text("\tssl.key.password = \n\tssl.protocol = TLSv1.3")
        == "\tssl.key.password = \n\tssl.protocol = TLSv1.3"
    )


@pytest.mark.parametrize(
    "below",
    [
        "[2026-11-21 05:34:44,123] INFO [KafkaServer id=1] started",
        "2026-11-21T05:34:44.123Z INFO started",
        '{"timestamp": "2026-11-21T05:34:44.123Z"}',
        "\tat kafka.Kafka.main(Kafka.scala:1)",
    ],
)
def test_the_record_below_an_empty_password_stays(below):
    assert hidden_text(f"ssl.key.password=\n{below}") == f"ssl.key.password=\n{below}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ERROR x password= (kafka.X)\nab1 cd2\nnext", "ERROR x password= (kafka.X)\n[hidden] [hidden]\nnext"),
        ("password:\nsecret=\nab1\nend", "password:\nsecret=\n[hidden]\nend"),
        ("- name: KAFKA_PASSWORD\n  value: ab1\nend", "- name: KAFKA_PASSWORD\n  value: [hidden]\nend"),
        ("values: \n\tssl.key.password = \n\tssl.protocol = x", "values: \n\tssl.key.password = \n\tssl.protocol = x"),
        ("password=\n[2026-11-21 05:34:44,123] INFO x", "password=\n[2026-11-21 05:34:44,123] INFO x"),
    ],
)
def test_lines_of_a_text_hide_what_a_name_above_them_says(text, shown):
    assert hidden_lines(text) == shown


@for_each(
    "text",
    [
        "Nov 21 05:37:31 host1 sudo[124]: alice : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/bin/kill -9 4711 --password {S}",
        "$ kafka-configs.sh --alter --add-config SCRAM-SHA-256=[password={S}]",
        "  Warning  Unhealthy  2m  kubelet  Readiness probe failed: password={S} was refused",
        "[2026-11-21T05:34:44.123+0000][info][gc] -Djavax.net.ssl.keyStorePassword={S}",
        "ERROR spring.datasource.password: {S}",
        "> ERROR Authorization: Negotiate {S}=",
        "WARN Passwort: {S}",
        '{"timestamp":"2026-11-21T05:34:44.123Z","level":"ERROR","logger":"sasl.password","message":"{S}"}',
        r'[{"Name":"/kafka-1","State":{"Status":"exited","Error":"<entry key=\"contrase\u00f1a\">{S}</entry>"}}]',
    ],
)
def test_explain_hides_it_in_a_line_of_any_program(text):
    assert not [line for line in lines_of(text.replace("{S}", SECRET), "server.log") if SECRET in repr(line)]


def test_a_logger_whose_class_names_a_secret_hides_nothing():
    (line,) = lines_of("[2026-11-21 05:34:44,123] ERROR Started with 3 brokers (org.apache.kafka.x.Password)", "a.log")
    assert line.message == "Started with 3 brokers"


@for_each("text", BLOCKS)
def test_a_secret_in_a_block_of_lines_is_hidden_after_the_head_of_a_record_too(text):
    for whole in (text, f"[2026-11-21 05:34:44,123] WARN {text}"):
        shown = hidden_lines(hidden_text(whole.replace("{S}", SECRET)))
        assert SECRET not in shown
        assert shown.count("\n") == whole.count("\n")


@for_each(
    "text",
    [
        "kafka-1  | TOKENID   HMAC\nkafka-1  | [2026-11-21 05:34:12,000] ERROR Disk d4ta1 failed",
        "TOKENID   HMAC\n  at kafka.x1\nERROR d4ta failed",
        "[2026-11-21 05:34:12,000] INFO member id kind: Secret x\ndata:\n\tlog.dirs = /data1\n\tbroker.id = 3",
        "[2026-11-21 05:34:12,000] WARN token expired, retry\n[2026-11-21 05:34:12,000] WARN Connection to node 1 lost, retry",
    ],
)
def test_what_looks_like_the_begin_of_a_block_hides_no_other_record(text):
    assert hidden_lines(hidden_text(text)) == text


@for_each("text", FORMS_LATER)
def test_a_secret_with_a_sign_a_class_or_a_comment_before_it_is_hidden(text):
    for whole in (text, f"[2026-11-21 05:34:44,123] WARN {text}"):
        shown = hidden_lines(hidden_text(whole.replace("{S}", SECRET)))
        assert SECRET not in shown
        assert shown.count("\n") == whole.count("\n")


@for_each("text", LOOK_ALIKES_LATER)
def test_what_only_resembles_them_stays(text):
    assert hidden_lines(hidden_text(text)) == text
