import TestSupport
import Testing

/// The sums that the corpus tests compare by.
@Suite(.inTurn) struct MD5Tests {
  @Test(
    "the sums of RFC 1321, A.5",
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"),
      ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a"
      ),
    ])
  func sumsAsTheStandardDoes(text: String, sum: String) {
    #expect(MD5.hexadecimal(text.utf8) == sum)
    var pieces = MD5()
    for byte in text.utf8 { pieces.append([byte]) }
    #expect(pieces.hexadecimal == sum)
  }
}
