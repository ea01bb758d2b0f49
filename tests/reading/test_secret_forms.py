"""The forms in which logs were seen to hold secrets, each with a made secret; and what only looks like one."""

import pytest

from replay.reading.secrets import hidden_lines, hidden_text

SECRET = "Zq7xKpLm2vRt9w"

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

LOOK_ALIKES = """
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
""".strip().split("\n")


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_in_this_form_is_hidden(form):
    shown = hidden_text(
        form.replace("@@", SECRET + "@").replace("@", SECRET) if "@@" not in form else form.replace("@", SECRET, 1)
    )
    assert SECRET not in shown
    assert "[hidden]" in shown


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_stays(text):
    assert hidden_text(text) == text


def test_a_private_key_over_continued_lines_is_hidden_line_by_line():
    text = "a=1\nssl.keystore.key=-----BEGIN PRIVATE KEY----- \\\nMIIEvQ \\\nAbCd \\\n-----END PRIVATE KEY-----\nb=2"
    shown = hidden_lines(text)
    assert ("MIIEvQ" in shown, "AbCd" in shown, shown.count("\n"), shown.endswith("\nb=2")) == (False, False, 5, True)


def test_a_name_and_its_value_on_two_lines():
    assert SECRET not in hidden_text(f"- name: KAFKA_PASSWORD\n  value: {SECRET}")
    assert SECRET not in hidden_text(f"login password=\n{SECRET}")
    assert (
        hidden_text("\tssl.key.password = \n\tssl.protocol = TLSv1.3")
        == "\tssl.key.password = \n\tssl.protocol = TLSv1.3"
    )
